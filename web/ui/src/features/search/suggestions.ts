import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data } from '~/api/client'
import { useLater } from '~/features/filters/trial'
import { useSavedSearches } from './saved'

export interface Suggestion {
  type: 'title' | 'keyword' | 'collection' | 'saved_search'
  text: string
  gaid?: string
  id?: number
  count?: number
}

const pause = 60 // milliseconds without a key before the server is asked
const ofEach = 4

/** What there is in the library that has what is typed in its name. */
export function useSuggestions(text: string, enabled: boolean): Suggestion[] {
  const q = useLater(text.trim(), pause)
  const saved = useSavedSearches(enabled)
  const keywords = useQuery({
    queryKey: ['facets', 'all', 'keywords'],
    enabled,
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const params = { query: { facets: 'keywords', per_page: 1 } }
      return (await data(api.GET('/api/v1/assets', { params, signal }))).meta.facets?.keywords ?? []
    },
  })
  const found = useQuery({
    queryKey: ['suggestions', q],
    enabled: enabled && q !== '',
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { q, per_page: ofEach }
      const [assets, collections] = await Promise.all([
        data(api.GET('/api/v1/assets', { params: { query }, signal })),
        data(api.GET('/api/v1/collections', { params: { query }, signal })),
      ])
      const titled = assets.data.filter(a => a.matched_on?.includes('title'))
      return [
        ...titled.map(a => ({ type: 'title' as const, text: a.title, gaid: a.gaid })),
        ...collections.data.map(c => ({ type: 'collection' as const, text: c.name, id: c.id })),
      ]
    },
  })
  const part = text.trim().toLowerCase()
  if (!part) return []
  const has = (name: string) => name.toLowerCase().includes(part)
  return [
    ...(found.data ?? []),
    ...(keywords.data ?? [])
      .map(k => ({ type: 'keyword' as const, text: String(k.value), count: k.count }))
      .filter(k => has(k.text))
      .slice(0, ofEach),
    ...(saved.data ?? [])
      .filter(s => has(s.name))
      .slice(0, ofEach)
      .map(s => ({ type: 'saved_search' as const, text: s.name, id: s.id })),
  ]
}
