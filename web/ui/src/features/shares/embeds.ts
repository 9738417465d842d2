import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, data, type Schemas } from '~/api/client'
import { key as sharesKey } from './shares'

export type Embed = Schemas['Embed']

const path = '/api/v1/assets/{gaid}/embed'
const keyOf = (gaid: string) => [...sharesKey, 'embed', gaid]

/** The user's own embed code of a video; null for none. */
export function useEmbed(gaid: string) {
  return useQuery({
    queryKey: keyOf(gaid),
    staleTime: 0, // viewers change the count
    queryFn: async ({ signal }) => {
      try {
        return (await data(api.GET(path, { params: { path: { gaid } }, signal }))).data
      } catch (e) {
        if (e instanceof ApiError && e.status === 404) return null
        throw e
      }
    },
  })
}

/** Mutations of a video's embed code. */
export function useChangeEmbed(gaid: string) {
  const client = useQueryClient()
  const shown = async (embed: Embed | null) => {
    await client.cancelQueries({ queryKey: keyOf(gaid) })
    client.setQueryData(keyOf(gaid), embed)
    await client.invalidateQueries({
      queryKey: sharesKey,
      predicate: q => q.queryKey[1] !== 'embed', // the answer already updated it
    })
  }
  return {
    make: useMutation({
      mutationFn: async (body: Schemas['CreateEmbed']) =>
        (await data(api.POST(path, { params: { path: { gaid } }, body }))).data,
      onSuccess: shown,
    }),
    revoke: useMutation({
      mutationFn: () => api.DELETE(path, { params: { path: { gaid } } }),
      onSuccess: () => shown(null),
    }),
  }
}
