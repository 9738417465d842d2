import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, data, type Schemas } from '~/api/client'
import { namedAssets } from '~/features/assets/named'
import { useCan } from '~/features/session/rights'

export type Share = Schemas['Share']
export type ShareEntry = Schemas['ShareAccessLog']

/** The maximum number of assets in a share. */
export const most = 1000

/** The query key prefix for shares. */
export const key = ['shares'] as const

/** Whether the signed-in user may share: guests get what that user may view and download. */
export function useMayShare() {
  const can = useCan()
  const needed = ['shares:read', 'shares:manage', 'assets:read', 'assets:download']
  return needed.every(can)
}

/** A page of the shares, newest first: either the embeds, or all others. */
export function useShares(page: number, ofPlayers: boolean) {
  return useQuery({
    queryKey: [...key, 'list', ofPlayers, page],
    placeholderData: keepPreviousData,
    staleTime: 0, // guests change the counts
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/shares', {
          params: { query: { page, per_page: 25, ...(ofPlayers && { type: 'embed' as const }) } },
          signal,
        }),
      ),
  })
}

export function useShare(id: number) {
  return useQuery({
    queryKey: [...key, 'one', id],
    staleTime: 0,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/shares/{share}', { params: { path: { share: id } }, signal }))).data,
    retry: (count, error) => !(error instanceof ApiError && error.status === 404) && count < 2,
  })
}

/** A page of guest actions, newest first. */
export function useEntries(id: number, page: number) {
  return useQuery({
    queryKey: [...key, 'entries', id, page],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/shares/{share}/access-logs', {
          params: { path: { share: id }, query: { page, per_page: 25 } },
          signal,
        }),
      ),
  })
}

/** The titles of the assets in entries, as far as they exist. */
export function useTitles(entries: readonly ShareEntry[]): ReadonlyMap<string, string> {
  const client = useQueryClient()
  const gaids = [...new Set(entries.flatMap(e => e.gaid ?? []))].sort()
  const { data } = useQuery({
    queryKey: [...key, 'titles', gaids],
    enabled: gaids.length > 0,
    placeholderData: keepPreviousData,
    queryFn: () => namedAssets(client, gaids),
  })
  return new Map(data?.map(a => [a.gaid, a.title]))
}

/** Mutations of shares; their data is reloaded afterwards. */
export function useChangeShares() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: key })
  return {
    create: useMutation({
      mutationFn: async (body: Schemas['CreateShare']) =>
        (await data(api.POST('/api/v1/shares', { body }))).data,
      onSettled,
    }),
    update: useMutation({
      mutationFn: async ({ id, body }: { id: number; body: Schemas['UpdateShare'] }) =>
        (await data(api.PUT('/api/v1/shares/{share}', { params: { path: { share: id } }, body }))).data,
      onSettled,
    }),
    revoke: useMutation({
      mutationFn: (id: number) => api.DELETE('/api/v1/shares/{share}', { params: { path: { share: id } } }),
      onSettled,
    }),
  }
}

/** Whether guests can open a share now, and if not, the reason. */
export function stateOf(s: Share): 'active' | 'expired' | 'revoked' | 'usedUp' {
  if (s.revoked_at) return 'revoked'
  if (s.expires_at && new Date(s.expires_at) <= new Date()) return 'expired'
  if (s.access.max_views && s.view_count >= s.access.max_views) return 'usedUp'
  return 'active'
}
