import { useQuery } from '@tanstack/react-query'
import { api } from '~/api/client'
import { allPages } from '~/api/pages'

// Definitions change rarely; changes made here reload them.
const staleTime = 300_000 // milliseconds

/** The custom fields, in order. */
export function useAllFields() {
  return useQuery({
    queryKey: ['fields', 'all'],
    queryFn: ({ signal }) => allPages(page => api.GET('/api/v1/metadata/fields', { params: page, signal })),
    staleTime,
  })
}

/** The available asset classes. */
export function useAssetClasses(enabled = true) {
  return useQuery({
    queryKey: ['asset-classes'],
    queryFn: ({ signal }) => allPages(page => api.GET('/api/v1/asset-classes', { params: page, signal })),
    staleTime,
    enabled,
  })
}
