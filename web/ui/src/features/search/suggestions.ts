import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ApiError } from '~/api/client'
import { useLater } from '~/features/filters/trial'

export interface Suggestion {
  type: 'title' | 'keyword' | 'collection' | 'saved_search'
  text: string
  gaid?: string
  id?: number
  count?: number
}

const pause = 60 // milliseconds without a key before the server is asked
const most = 10

/** What there is in the library that begins as what is typed. */
export function useSuggestions(text: string, enabled: boolean) {
  const q = useLater(text.trim(), pause)
  const found = useQuery({
    queryKey: ['suggestions', q],
    enabled: enabled && q !== '',
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const answer = await fetch(`/api/v1/suggestions?${new URLSearchParams({ q, limit: String(most) })}`, {
        signal,
      })
      if (!answer.ok) throw new ApiError(answer.status, answer.statusText)
      return ((await answer.json()) as { data: Suggestion[] }).data
    },
  })
  return text.trim() && found.data ? found.data : []
}
