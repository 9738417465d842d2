import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api } from '~/api/client'
import { sessionKey } from '~/features/session/session'

const key = ['logo'] as const

/** The library's logo; null for none. */
export function useLogo() {
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      try {
        return (await api.GET('/api/v1/settings/logo', { signal })).data?.data ?? null
      } catch (e) {
        if (e instanceof ApiError && e.status === 404) return null
        throw e
      }
    },
  })
}

/** Sets the logo, or deletes it for null. */
export function useSetLogo() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (file: File | null) => {
      if (!file) return api.DELETE('/api/v1/settings/logo')
      return api.PUT('/api/v1/settings/logo', {
        body: file as unknown as string, // the OpenAPI types have no type for bytes
        bodySerializer: (b: unknown) => b,
        headers: { 'Content-Type': file.type },
      })
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: sessionKey }) // the toolbar displays it too
      return client.invalidateQueries({ queryKey: key })
    },
  })
}
