import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { useLater } from '~/features/filters/trial'

export type Suggestion = Schemas['Suggestion']

const pause = 60 // milliseconds without a key press before the server is asked
const most = 10

/** Items of the library that start with the typed text. */
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
