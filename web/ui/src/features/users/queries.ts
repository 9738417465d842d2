import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'

export type User = Schemas['ManagedUser']
export type Role = Schemas['Role']
export type Link = Schemas['InvitationLink']

const key = ['users'] as const

/** The users whose name or email contains a text, page by page. */
export function useUsers(q: string) {
  return useInfiniteQuery({
    queryKey: [...key, q],
    queryFn: async ({ pageParam, signal }) =>
      await data(
        api.GET('/api/v1/users', { params: { query: { q, page: pageParam, per_page: 50 } }, signal }),
      ),
    initialPageParam: 1,
    getNextPageParam: last => (last.links.next ? last.meta.current_page + 1 : undefined),
    placeholderData: before => before,
  })
}

export function useChangeUsers() {
  const client = useQueryClient()
  const onSuccess = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: key }),
      client.invalidateQueries({ queryKey: ['session'] }), // it may be the signed-in user
    ])
  const invite = useMutation({
    mutationFn: async (body: Schemas['CreateUser']) =>
      (await data(api.POST('/api/v1/users', { body }))).data.invitation,
    onSuccess,
  })
  const change = useMutation({
    mutationFn: async ({ id, body }: { id: number; body: Schemas['UpdateUser'] }) =>
      (await data(api.PUT('/api/v1/users/{user}', { params: { path: { user: id } }, body }))).data,
    onSuccess,
  })
  const link = useMutation({
    mutationFn: async ({ id, revoke = false }: { id: number; revoke?: boolean }) =>
      (
        await data(
          api.POST('/api/v1/users/{user}/invitation', {
            params: { path: { user: id } },
            body: { revoke_tokens: revoke },
          }),
        )
      ).data,
    onSuccess,
  })
  return { invite, change, link }
}
