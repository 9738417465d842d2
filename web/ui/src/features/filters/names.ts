import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { ApiError, api, data, type Schemas } from '~/api/client'
import type { PickerChoice } from '~/components/field/Picker'
import { useCollectionsNamed } from '~/features/collections/collections'
import { useAssetClasses } from '~/features/definitions/all'
import type { FilterField } from './fields'

/** Terms of a vocabulary whose label contains a text. */
function useTermsNamed(vocabulary: number | undefined, text: string) {
  return useQuery({
    queryKey: ['terms', 'named', vocabulary, text],
    enabled: vocabulary !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (
        await data(
          api.GET('/api/v1/metadata/vocabularies/{vocabulary}/terms', {
            params: {
              path: { vocabulary: String(vocabulary) },
              query: { ...(text && { q: text }), per_page: 30 },
            },
            signal,
          }),
        )
      ).data,
  })
}

/** The display name of a counted value. */
const nameOf = (v: Schemas['FacetValue']) => v.label || String(v.value)

/** Values of a field that occur in assets, most frequent first. */
function useValues(field: FilterField, enabled: boolean) {
  const facet = field.name.replace(/^asset\./, '')
  return useQuery({
    queryKey: ['facets', 'all', facet],
    enabled,
    staleTime: 60_000,
    retry: false,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/assets', { params: { query: { facets: facet, per_page: 1 } }, signal })))
        .meta.facets?.[facet] ?? [],
  }).data
}

const counted = ['keywords', 'ai_tags', 'creator', 'copyright', 'mime_type', 'extension', 'folder'].map(
  f => `asset.${f}`,
)

const mostChoices = 30

const isOfCollections = ({ kind }: FilterField) => kind === 'ids' || kind === 'tree'

/** The suggested values of a field for the typed text. */
export function useChoices(field: FilterField, text: string): PickerChoice[] {
  const collections = useCollectionsNamed(text, isOfCollections(field))
  const classes = useAssetClasses(field.kind === 'classes')
  const terms = useTermsNamed(field.kind === 'terms' ? field.vocabulary : undefined, text)
  const values = useValues(field, counted.includes(field.name))
  switch (field.kind) {
    case 'ids':
    case 'tree':
      return collections.data?.map(c => ({ id: String(c.id), text: c.name })) ?? []
    case 'classes': {
      const part = text.toLowerCase()
      const named = classes.data?.filter(c => c.name.toLowerCase().includes(part)) ?? []
      return named.map(c => ({ id: String(c.id), text: c.name }))
    }
    case 'terms':
      return terms.data?.map(term => ({ id: term.key, text: term.label })) ?? []
  }
  const part = text.toLowerCase()
  const found = values?.filter(v => `${nameOf(v)} ${v.value}`.toLowerCase().includes(part)) ?? []
  return found.slice(0, mostChoices).map(v => ({ id: String(v.value), text: nameOf(v) }))
}

const mostNames = 50 // requested individually

/** The names of shares, as far as they are visible. */
function useShareNames(ids: readonly number[]): ReadonlyMap<number, string> {
  const found = useQueries({
    queries: ids.slice(0, mostNames).map(id => ({
      queryKey: ['shares', 'name', id],
      staleTime: 60_000,
      retry: false,
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await data(api.GET('/api/v1/shares/{share}', { params: { path: { share: id } }, signal }))).data,
    })),
  })
  return new Map(found.flatMap(({ data: s }) => (s ? [[s.id, s.name] as const] : [])))
}

/** The display names of values that documents represent differently. */
export function useNames(field: FilterField, values: readonly unknown[]): (value: unknown) => string {
  const classes = useAssetClasses(field.kind === 'classes')
  const ids = isOfCollections(field) ? values.map(Number).filter(id => id > 0) : []
  const collections = useQueries({
    queries: ids.slice(0, mostNames).map(id => ({
      queryKey: ['collections', 'name', id],
      staleTime: 60_000,
      retry: false,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        try {
          const params = { path: { collection: id } }
          return (await data(api.GET('/api/v1/collections/{collection}', { params, signal }))).data.name
        } catch (e) {
          if (e instanceof ApiError && e.status === 404) return null // deleted or not visible
          throw e
        }
      },
    })),
  })
  const shares = useShareNames(field.kind === 'shares' ? values.map(Number) : [])
  const keys = field.kind === 'terms' ? values.map(String).slice(0, mostNames) : []
  const terms = useQueries({
    queries: keys.map(key => ({
      queryKey: ['terms', 'label', field.vocabulary, key],
      enabled: field.vocabulary !== undefined,
      staleTime: 300_000,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const path = { vocabulary: String(field.vocabulary) }
        const params = { path, query: { q: key, per_page: 100 } }
        const found = await data(
          api.GET('/api/v1/metadata/vocabularies/{vocabulary}/terms', { params, signal }),
        )
        return found.data.find(term => term.key === key)?.label ?? null
      },
    })),
  })
  const formats = useValues(field, field.kind === 'format' && values.length > 0)
  return value => {
    switch (field.kind) {
      case 'format':
        return formats?.find(v => v.value === value)?.label ?? String(value)
      case 'ids':
      case 'tree':
        return collections[ids.indexOf(Number(value))]?.data ?? `#${value}`
      case 'shares':
        return shares.get(Number(value)) ?? `#${value}`
      case 'classes':
        return classes.data?.find(c => c.id === Number(value))?.name ?? `#${value}`
      case 'terms':
        return terms[keys.indexOf(String(value))]?.data ?? String(value)
    }
    return String(value)
  }
}
