import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'

export type Collection = Schemas['Collection']
export type CollectionDetail = Schemas['CollectionDetail']

const perPage = 100

/** The collections right below one, or at the top for null, page after page. */
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

/** Collections with some text in their name; all of them, up to a page, without one. */
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

/** One collection with its parent and its children. */
export function useCollection(id: number) {
  return useQuery({
    queryKey: ['collections', 'one', id],
    queryFn: async ({ signal }) =>
      (
        await data(
          api.GET('/api/v1/collections/{collection}', { params: { path: { collection: id } }, signal }),
        )
      ).data,
  })
}

/** What changes collections; their lists and counts are read again after it. */
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
    remove: useMutation({
      mutationFn: (id: number) =>
        api.DELETE('/api/v1/collections/{collection}', { params: { path: { collection: id } } }),
      onSuccess,
    }),
    /** Adds assets, up to 1,000 a request. */
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

/** The address of a cover's thumbnail. */
export function coverURL(gaid: string) {
  return `/api/v1/assets/${gaid}/download?rendition=thumbnail`
}
