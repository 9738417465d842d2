import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, api, data } from '~/api/client'
import { type Group, isComplete, writeFilter } from './tree'

const pause = 250 // milliseconds without changes before the server is asked

/** A debounced value. */
export function useLater<T>(value: T, wait = pause): T {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), wait)
    return () => clearTimeout(timer)
  }, [value, wait])
  return later
}

/** The text of a search, in the API's format. */
export interface SearchText {
  q?: string
  meaning?: boolean
}

interface Trial {
  /** The number of matching assets; null until it is known. */
  total: number | null
  /** Errors of the server, by the paths of the builder. */
  errors: Record<string, string[]>
  /** Any other error. */
  message: string | null
  /** A rule lacks its value, so there is nothing to evaluate. */
  isUnfinished: boolean
  isPending: boolean
}

/** Evaluates a filter document while it is edited: the number of matching assets, or its errors. */
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
