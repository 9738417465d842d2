import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { type AssetQuery, textOf } from '~/features/assets/query'
import type { FilterField } from '~/features/filters/fields'
import { picked, withPicked } from '~/features/filters/narrow'
import { readFilter, writeFilter } from '~/features/filters/tree'
import { useFields } from '~/features/filters/useFields'

export type FacetValue = Schemas['FacetValue']

/** What is counted beside the results, in the order that people use them. */
const counted = [
  'keywords',
  'collections',
  'file_category',
  'mime_type',
  'rating',
  'workflow_status',
  'asset_class_id',
  'creator',
  'ai_tags',
  'folder',
]
/** How many of them are open at first. */
export const openAtFirst = 6
const perRequest = 20

/** The fields that can be counted: those of every library, then its own. */
export function useFacetFields(): FilterField[] {
  const { fields, field } = useFields()
  return [...counted.map(name => field(`asset.${name}`)), ...fields.filter(f => f.isCounted)]
}

/** A field as the list of facets names it. */
const facetOf = (f: FilterField) => f.name.replace(/^asset\./, '')

/**
 * The values of fields in a result, with how often they are there. Those of a
 * field that narrows the result are counted without it, so that others of its
 * values can be added.
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
