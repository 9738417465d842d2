import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { allPages } from '~/api/pages'

export type Collection = Schemas['Collection']
export type CollectionDetail = Schemas['CollectionDetail']

const perPage = 100

/** The children of a collection, or the top level for null, page by page. */
export function useChildren(parent: number | null) {
  return useInfiniteQuery({
    queryKey: ['collections', 'below', parent],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/collections', {
          params: { query: { parent_id: String(parent ?? 0), page: pageParam, per_page: perPage } },
          signal,
        }),
      ),
    getNextPageParam: last =>
      last.meta.current_page < last.meta.last_page ? last.meta.current_page + 1 : undefined,
  })
}

/** Collections whose name contains a text; the first page of all if it is empty. */
export function useCollectionsNamed(text: string, enabled = true) {
  return useQuery({
    queryKey: ['collections', 'named', text],
    enabled,
    queryFn: async ({ signal }) =>
      (
        await data(
          api.GET('/api/v1/collections', {
            params: { query: { ...(text && { q: text }), per_page: 20 } },
            signal,
          }),
        )
      ).data,
  })
}

const deepest = 10 // levels of the tree

function one(id: number) {
  return {
    queryKey: ['collections', 'one', id] as const,
    queryFn: async ({ signal }: { signal: AbortSignal }) =>
      (
        await data(
          api.GET('/api/v1/collections/{collection}', { params: { path: { collection: id } }, signal }),
        )
      ).data,
  }
}

/** One collection with its parent and its children. */
export function useCollection(id: number) {
  return useQuery(one(id))
}

/** One collection and its ancestors, topmost first. */
export function useTrail(id: number | undefined) {
  const client = useQueryClient()
  return useQuery({
    queryKey: ['collections', 'trail', id],
    enabled: id !== undefined,
    queryFn: async () => {
      const trail: { id: number; name: string }[] = []
      for (let at: number | null = id ?? null; at !== null && trail.length < deepest; ) {
        const { id: here, name, parent_id }: Collection = await client.ensureQueryData(one(at))
        trail.unshift({ id: here, name })
        at = parent_id
      }
      return trail
    },
  })
}

/** The available collection types. */
export function useCollectionTypes() {
  return useQuery({
    queryKey: ['collection-types'],
    queryFn: ({ signal }) => allPages(page => api.GET('/api/v1/collection-types', { params: page, signal })),
    staleTime: 300_000,
  })
}

/** The names of users: those that contain a text, or those with the given ids. */
export function useUserNames({ q, ids }: { q?: string; ids?: readonly number[] }) {
  return useQuery({
    queryKey: ['users', 'names', q ?? null, ids ?? null],
    enabled: ids === undefined || ids.length > 0,
    queryFn: async ({ signal }) => {
      const query = { per_page: ids ? 500 : 20, ...(q && { q }), ...(ids && { ids: [...ids] }) }
      return (await data(api.GET('/api/v1/users/names', { params: { query }, signal }))).data
    },
  })
}

/** The destination of a collection: into another one, or among the children of a parent. */
export type CollectionTarget = { into: number | null } | { parent: number | null; after: number | null }

/** Mutations of collections; their lists and counts are reloaded afterwards. */
export function useChangeCollections() {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: ['collections'] })
  return {
    create: useMutation({
      mutationFn: async (body: Schemas['CreateCollection']) =>
        (await data(api.POST('/api/v1/collections', { body }))).data,
      onSuccess,
    }),
    update: useMutation({
      mutationFn: async ({ id, body }: { id: number; body: Schemas['UpdateCollection'] }) =>
        (
          await data(
            api.PUT('/api/v1/collections/{collection}', { params: { path: { collection: id } }, body }),
          )
        ).data,
      onSuccess,
    }),
    move: useMutation({
      mutationFn: ({ id, to }: { id: number; to: CollectionTarget }) => {
        const params = { path: { collection: id } }
        if ('into' in to)
          return api.PUT('/api/v1/collections/{collection}', {
            params,
            body: { parent_id: to.into, position: 0 },
          })
        const body = { parent_id: to.parent, after: to.after }
        return api.POST('/api/v1/collections/{collection}/move', { params, body })
      },
      onSuccess,
    }),
    /** Moves assets of a collection after another one, or to the start. */
    order: useMutation({
      mutationFn: ({ id, gaids, after }: { id: number; gaids: string[]; after: string | null }) =>
        api.PUT('/api/v1/collections/{collection}/assets/order', {
          params: { path: { collection: id } },
          body: { gaids, after },
        }),
      onSuccess: () =>
        client.invalidateQueries({ predicate: q => /^(assets|outline)/.test(String(q.queryKey[0])) }),
    }),
    remove: useMutation({
      mutationFn: (id: number) =>
        api.DELETE('/api/v1/collections/{collection}', { params: { path: { collection: id } } }),
      // Its own page is left, so it is not reloaded.
      onSuccess: (_, id) =>
        client.invalidateQueries({ predicate: q => q.queryKey[0] === 'collections' && q.queryKey[2] !== id }),
    }),
    /** Adds assets, up to 1,000 per request. */
    add: useMutation({
      mutationFn: async ({ id, gaids }: { id: number; gaids: readonly string[] }) => {
        let added = 0
        for (let i = 0; i < gaids.length; i += 1000) {
          const answer = await data(
            api.POST('/api/v1/collections/{collection}/assets', {
              params: { path: { collection: id } },
              body: { gaids: gaids.slice(i, i + 1000) },
            }),
          )
          added += answer.data.added
        }
        return added
      },
      onSuccess: async () => {
        await onSuccess()
        await client.invalidateQueries({ queryKey: ['assets'] })
      },
    }),
  }
}

/** The cover asset of a collection: the chosen one, or otherwise its first. */
export function useCover(c: Collection): string | null {
  const { data: first } = useQuery({
    queryKey: ['assets', c.id, 'first'],
    queryFn: ({ signal }) => {
      const params = { path: { collection: c.id }, query: { per_page: 1 } }
      return data(api.GET('/api/v1/collections/{collection}/assets', { params, signal }))
    },
    enabled: !c.cover_gaid && c.assets_count > 0,
  })
  return c.cover_gaid ?? first?.data[0]?.gaid ?? null
}

/** The URL of a cover's thumbnail. */
export function coverURL(gaid: string) {
  return mounted(`/api/v1/assets/${gaid}/download?rendition=thumbnail`)
}
