import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { useLater } from '~/features/filters/trial'

export type Suggestion = Schemas['Suggestion']

const pause = 60 // milliseconds without a key before the server is asked
const most = 10

/** What there is in the library that begins with what is typed. */
export function useSuggestions(text: string, enabled: boolean): Suggestion[] {
  const q = useLater(text.trim(), pause)
  const found = useQuery({
    queryKey: ['suggestions', q],
    enabled: enabled && q !== '',
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/suggestions', { params: { query: { q, limit: most } }, signal }))).data,
  })
  return text.trim() ? (found.data ?? []) : []
}
