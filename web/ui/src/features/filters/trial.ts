import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, api, data } from '~/api/client'
import { type Group, isComplete, writeFilter } from './tree'

const pause = 250 // milliseconds that nothing is changed before the server is asked

/** A value as it was a moment ago, when it changes all the time. */
export function useLater<T>(value: T, wait = pause): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), wait)
    return () => clearTimeout(timer)
  }, [value, wait])
  return later
}

/** The words of a search, as the interface takes them. */
export interface SearchText {
  q?: string
  meaning?: boolean
}

interface Trial {
  /** How many assets match; null as long as nobody knows. */
  total: number | null
  /** What the server found wrong, by the paths that the builder takes. */
  errors: Record<string, string[]>
  /** What else went wrong. */
  message: string | null
  /** Some rule lacks its value, so there is nothing to try. */
  isUnfinished: boolean
  isPending: boolean
}

/** Tries a filter document while it is edited: how many assets it finds, or what is wrong with it. */
export function useFilterTrial(group: Group, text?: SearchText, enabled = true): Trial {
  const unfinished = !isComplete(group)
  const written = useLater(writeFilter(group))
  const fresh = written === writeFilter(group)
  const trial = useQuery({
    queryKey: ['filter-trial', text, written],
    enabled: enabled && !unfinished && fresh,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/assets', {
          params: { query: { ...text, ...(written && { filters: written }), per_page: 1 } },
          signal,
        }),
      ),
  })
  const failure = trial.error instanceof ApiError && !unfinished && fresh ? trial.error : null
  return {
    total: failure || unfinished ? null : (trial.data?.meta.total ?? null),
    errors: failure?.fields ?? {},
    message: failure && Object.keys(failure.fields).length === 0 ? failure.message : null,
    isUnfinished: unfinished,
    isPending: trial.isFetching || !fresh,
  }
}
