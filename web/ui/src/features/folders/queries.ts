import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { useLazyTree } from '~/components/tree/useLazyTree'
import { queryText } from '~/features/assets/query'
import { newGroup, ruleOf, writeFilter } from '~/features/filters/tree'

export type Root = Schemas['Root']
export type Folder = Schemas['Folder']

const perPage = 100
const again = 5000 // milliseconds, while something is under way

/** The folders that are catalogued in place. */
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

/** Has the server look through a folder for changes. */
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

// An id must not have what separates ids where they are kept.
const facts = (f: Folder) => ({ id: encodeURIComponent(f.path), name: f.name, hasChildren: f.has_folders })

/** The folders that have assets, as a tree. */
export function useFolderTree() {
  return useLazyTree({ queryKey: ['folders'], read, facts, storage: 'dal.folders.open' })
}

/** The address of the assets in a folder and below. */
export function inFolder(path: string): string {
  const rule = ruleOf('asset.folder', 'starts_with', `${path}/`)
  return `/${queryText({ filters: writeFilter(newGroup(false, [rule])) })}`
}
