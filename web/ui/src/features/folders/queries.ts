import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { useLazyTree } from '~/components/tree/useLazyTree'
import { queryText } from '~/features/assets/query'
import { newGroup, ruleOf, writeFilter } from '~/features/filters/tree'

export type Root = Schemas['Root']
export type Folder = Schemas['Folder']

const perPage = 100
const again = 5000 // milliseconds, while a scan is running

/** The external libraries. */
export function useRoots() {
  return useQuery({
    queryKey: ['roots'],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/roots', { params: { query: { per_page: perPage } }, signal }))).data,
    staleTime: 60_000,
    refetchInterval: ({ state }) =>
      state.data?.some(r => r.being_ingested > 0 || r.state === 'offline') ? again : false,
  })
}

/** Starts a scan of a folder. */
export function useScan() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (root: number) => api.POST('/api/v1/roots/{root}/scan', { params: { path: { root } } }),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['roots'] }),
        client.invalidateQueries({ queryKey: ['folders'] }),
      ]),
  })
}

async function read(parent: string, page: number, signal: AbortSignal) {
  const query = { page, per_page: perPage, ...(parent && { path: decodeURIComponent(parent) }) }
  const { data: items, meta } = await data(api.GET('/api/v1/folders', { params: { query }, signal }))
  return { items, isLast: meta.current_page >= meta.last_page }
}

// The id must not contain the separator of stored ids.
const facts = (f: Folder) => ({ id: encodeURIComponent(f.path), name: f.name, hasChildren: f.has_folders })

/** The folders with assets, as a tree. */
export function useFolderTree() {
  return useLazyTree({ queryKey: ['folders'], read, facts, storage: 'dal.folders.open' })
}

/** The URL of the assets in a folder and its subfolders. */
export function inFolder(path: string): string {
  const rule = ruleOf('asset.folder', 'starts_with', `${path}/`)
  return `/${queryText({ filters: writeFilter(newGroup(false, [rule])) })}`
}
