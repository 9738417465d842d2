import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, data, type Schemas } from '~/api/client'
import { useTexts } from '~/text/context'
import { builtIn, customField, type FilterField } from './fields'
import { texts } from './texts'

const perPage = 100

async function customFields(signal: AbortSignal): Promise<Schemas['MetadataField'][]> {
  const all: Schemas['MetadataField'][] = []
  for (let page = 1, last = 1; page <= last; page++) {
    const params = { query: { per_page: perPage, page } }
    const answer = await data(api.GET('/api/v1/metadata/fields', { params, signal }))
    all.push(...answer.data)
    last = answer.meta.last_page
  }
  return all
}

/** The fields that rules can be about, those of every library and its own, and what people call them. */
export function useFields() {
  const t = useTexts(texts)
  const custom = useQuery({
    queryKey: ['filter-fields'],
    queryFn: ({ signal }) => customFields(signal),
    staleTime: 300_000,
  })
  return useMemo(() => {
    const fields = [...builtIn, ...(custom.data?.filter(f => f.is_filterable).map(customField) ?? [])]
    const byName = new Map(fields.map(f => [f.name, f]))
    return {
      fields,
      field: (name: string): FilterField => byName.get(name) ?? { name, kind: 'text', label: name },
      name: (f: FilterField) => f.label ?? t.fields[f.name] ?? f.name,
    }
  }, [custom.data, t])
}
