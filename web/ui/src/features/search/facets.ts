import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { type AssetQuery, textOf } from '~/features/assets/query'
import type { FilterField } from '~/features/filters/fields'
import { picked, withPicked } from '~/features/filters/narrow'
import { readFilter, writeFilter } from '~/features/filters/tree'
import { useFields } from '~/features/filters/useFields'

export type FacetValue = Schemas['FacetValue']

/** The counted fields, most useful first. */
const counted = [
  'keywords',
  'collections',
  'file_category',
  'mime_type',
  'rating',
  'workflow_status',
  'asset_class_id',
  'creator',
  'people',
  'ai_tags',
  'folder',
]
/** The number of sections that are initially open. */
export const openAtFirst = 6
const perRequest = 20

/** The fields that can be counted: built-in ones, then custom ones. */
export function useFacetFields(): FilterField[] {
  const { fields, field } = useFields()
  return [...counted.map(name => field(`asset.${name}`)), ...fields.filter(f => f.isCounted)]
}

/** The name of a field in the list of facets. */
const facetOf = (f: FilterField) => f.name.replace(/^asset\./, '')

/**
 * The values of fields in a result, with their counts. A field with a filter is counted without that filter, so that
 * more of its values can be added.
 */
export function useFacets(query: AssetQuery, fields: readonly FilterField[]) {
  const group = readFilter(query.filters)
  const active = fields.filter(f => picked(group, f.name).length > 0)
  const others = fields.filter(f => !active.includes(f))
  const requests: { filters: string; fields: FilterField[] }[] = []
  for (let i = 0; i < others.length; i += perRequest) {
    requests.push({ filters: query.filters ?? '', fields: others.slice(i, i + perRequest) })
  }
  for (const f of active) {
    requests.push({ filters: writeFilter(withPicked(group, f.name, [], 'in')), fields: [f] })
  }
  return useQueries({
    queries: requests.map(r => ({
      queryKey: ['facets', textOf(query), r.filters, r.fields.map(facetOf).join(',')],
      placeholderData: keepPreviousData,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const words = { ...textOf(query), ...(r.filters && { filters: r.filters }) }
        const params = { query: { ...words, facets: r.fields.map(facetOf).join(','), per_page: 1 } }
        return (await data(api.GET('/api/v1/assets', { params, signal }))).meta.facets ?? {}
      },
    })),
    combine: results => ({
      values: (f: FilterField): FacetValue[] | undefined => {
        const i = requests.findIndex(r => r.fields.includes(f))
        return results[i]?.data?.[facetOf(f)]
      },
      isPending: results.some(r => r.isPending),
      error: results.find(r => r.error)?.error ?? null,
    }),
  })
}
