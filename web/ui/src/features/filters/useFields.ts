import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, data } from '~/api/client'
import { builtIn, customField, type FilterField } from './fields'

/** The fields that rules can be about: those of every library, and its own. */
export function useFields(): { fields: readonly FilterField[]; field: (name: string) => FilterField } {
  const custom = useQuery({
    queryKey: ['fields'],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/metadata/fields', { params: { query: { per_page: 100 } }, signal }))).data,
    staleTime: 300_000,
  })
  return useMemo(() => {
    const fields = [...builtIn, ...(custom.data?.filter(f => f.is_filterable).map(customField) ?? [])]
    const byName = new Map(fields.map(f => [f.name, f]))
    return { fields, field: name => byName.get(name) ?? { name, kind: 'text', label: name } }
  }, [custom.data])
}
