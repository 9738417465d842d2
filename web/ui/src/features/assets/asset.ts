import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import type { AssetList } from './query'

export type Asset = Schemas['Asset']
export type AssetChanges = Schemas['AssetChanges']

const assetKey = (gaid: string) => ['asset', gaid] as const

/** One asset with all that is known of it. */
export function useAsset(gaid: string) {
  return useQuery({
    queryKey: assetKey(gaid),
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/assets/{gaid}', { params: { path: { gaid } }, signal }))).data,
  })
}

/** Puts what an answer says of an asset wherever the asset is shown. */
function show(client: QueryClient, asset: Asset) {
  client.setQueryData(assetKey(asset.gaid), asset)
  client.setQueriesData<AssetList>({ queryKey: ['assets'] }, list =>
    list && 'meta' in list && list.data.some(a => a.gaid === asset.gaid)
      ? { ...list, data: list.data.map(a => (a.gaid === asset.gaid ? { ...a, ...asset } : a)) }
      : list,
  )
}

/** Changes fields of an asset; what fails throws an ApiError with what is wrong with each. */
export function useChangeAsset(gaid: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (body: AssetChanges) =>
      (await data(api.PUT('/api/v1/assets/{gaid}', { params: { path: { gaid } }, body }))).data,
    onSuccess: asset => show(client, asset),
  })
}

/** Moves assets to the trash, back from it, or deletes them for good; the lists are read again. */
export function useTrash() {
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: ['assets'] })
  return {
    trash: async (gaids: readonly string[]) => {
      await each(gaids, gaid => api.DELETE('/api/v1/assets/{gaid}', { params: { path: { gaid } } }))
      await refresh()
    },
    restore: async (gaids: readonly string[]) => {
      await each(gaids, gaid => api.POST('/api/v1/assets/{gaid}/restore', { params: { path: { gaid } } }))
      await refresh()
    },
    remove: async (gaids: readonly string[]) => {
      await each(gaids, gaid =>
        api.DELETE('/api/v1/assets/{gaid}', { params: { path: { gaid }, query: { force: true } } }),
      )
      await refresh()
    },
  }
}

const atOnce = 4

/** Does something for each name, a few at a time. */
async function each(gaids: readonly string[], fn: (gaid: string) => Promise<unknown>) {
  for (let i = 0; i < gaids.length; i += atOnce) await Promise.all(gaids.slice(i, i + atOnce).map(fn))
}
