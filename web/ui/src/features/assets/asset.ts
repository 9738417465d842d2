import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, type Schemas } from '~/api/client'
import type { AssetList } from './query'

type Asset = Schemas['Asset']
export type AssetChanges = Schemas['AssetChanges']

const assetKey = (gaid: string) => ['asset', gaid] as const

/** A loaded asset with its ETag. */
export type ReadAsset = Asset & { etag?: string | null }

/** The query for one asset with all details, even from the trash. */
export function assetQuery(gaid: string) {
  return {
    queryKey: assetKey(gaid),
    queryFn: ({ signal }: { signal?: AbortSignal }) => readAsset(gaid, signal),
  }
}

/** One asset with all details, even from the trash. */
export function useAsset(gaid: string) {
  return useQuery(assetQuery(gaid))
}

/** Loads an asset. */
export async function readAsset(gaid: string, signal?: AbortSignal): Promise<ReadAsset> {
  const answer = await api.GET('/api/v1/assets/{gaid}', {
    params: { path: { gaid }, query: { trashed: 'with' } },
    ...(signal && { signal }),
  })
  return tagged(answer)
}

/** Changes fields of an asset on the server, if its ETag still matches. */
export async function putAsset(gaid: string, body: AssetChanges, tag?: string | null): Promise<ReadAsset> {
  const answer = await api.PUT('/api/v1/assets/{gaid}', {
    params: { path: { gaid }, ...(tag && { header: { 'If-Match': tag } }) },
    body,
  })
  return tagged(answer)
}

function tagged({ data, response }: { data?: { data: Asset }; response: Response }): ReadAsset {
  if (!data) throw new ApiError(0, 'The answer is empty.')
  return { ...data.data, etag: response.headers.get('ETag') }
}

/** Updates the cached asset everywhere. */
export function showAsset(client: QueryClient, asset: ReadAsset) {
  client.setQueryData(assetKey(asset.gaid), asset)
  const { etag, technical, ocr_text, collections, owner, created_by, updated_by, ...item } = asset
  client.setQueriesData<AssetList>({ queryKey: ['assets'] }, list =>
    list && 'meta' in list && Array.isArray(list.data) && list.data.some(a => a.gaid === asset.gaid)
      ? { ...list, data: list.data.map(a => (a.gaid === asset.gaid ? { ...a, ...item } : a)) }
      : list,
  )
}

/** Changes fields of an asset unconditionally; a failure throws an ApiError. */
export async function changeAsset(client: QueryClient, gaid: string, body: AssetChanges) {
  showAsset(client, await putAsset(gaid, body))
}

/** Moves assets to the trash, restores them, or deletes them permanently, and reloads the lists. */
export function useTrash() {
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: ['assets'] })
  return {
    trash: async (gaids: readonly string[]) => {
      await eachAsset(gaids, gaid => api.DELETE('/api/v1/assets/{gaid}', { params: { path: { gaid } } }))
      await refresh()
    },
    restore: async (gaids: readonly string[]) => {
      await eachAsset(gaids, gaid =>
        api.POST('/api/v1/assets/{gaid}/restore', { params: { path: { gaid } } }),
      )
      await refresh()
    },
    remove: async (gaids: readonly string[]) => {
      await eachAsset(gaids, gaid =>
        api.DELETE('/api/v1/assets/{gaid}', { params: { path: { gaid }, query: { force: true } } }),
      )
      await refresh()
    },
  }
}

const atOnce = 4

/** Calls fn for each asset, a few concurrently. */
export async function eachAsset<T>(assets: readonly T[], fn: (asset: T) => Promise<unknown>) {
  for (let i = 0; i < assets.length; i += atOnce) await Promise.all(assets.slice(i, i + atOnce).map(fn))
}
