import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'

export type Term = Schemas['Term']

const staleTime = 300_000 // milliseconds
const perPage = 100

function list(
  vocabulary: number,
  query: { q?: string; parent_id?: number; top?: boolean },
  signal: AbortSignal,
) {
  return data(
    api.GET('/api/v1/metadata/vocabularies/{vocabulary}/terms', {
      params: { path: { vocabulary: String(vocabulary) }, query: { ...query, per_page: perPage } },
      signal,
    }),
  ).then(answer => answer.data)
}

/** The children of a term, or the top level for null: the first hundred, to be narrowed by search. */
export function useTermsBelow(vocabulary: number, parent: number | null, enabled: boolean) {
  return useQuery({
    queryKey: ['terms', vocabulary, 'below', parent],
    enabled,
    staleTime,
    queryFn: ({ signal }) =>
      list(vocabulary, parent === null ? { top: true } : { parent_id: parent }, signal),
  })
}

/** Terms whose label or key contains a text. */
export function useTermsLike(vocabulary: number, text: string) {
  return useQuery({
    queryKey: ['terms', vocabulary, 'like', text],
    enabled: text !== '',
    staleTime,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => list(vocabulary, { q: text }, signal),
  })
}

/** The labels of terms by key; the key itself until its label is loaded. */
export function useTermNames(vocabulary: number, keys: readonly string[]): Map<string, string> {
  return useQueries({
    queries: keys.map(key => ({
      queryKey: ['terms', vocabulary, 'key', key],
      staleTime,
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await list(vocabulary, { q: key }, signal)).find(t => t.key === key)?.label ?? key,
    })),
    combine: answers => new Map(keys.map((key, i) => [key, answers[i]?.data ?? key])),
  })
}

/** The labels of the ancestors of terms, topmost first, by term id. */
export function useTermPaths(vocabulary: number, terms: readonly Term[]): Map<number, string> {
  return useQueries({
    queries: terms.map(term => ({
      queryKey: ['terms', vocabulary, 'path', term.parent_id],
      staleTime,
      queryFn: async ({ signal }: { signal: AbortSignal }) => pathTo(vocabulary, term.parent_id, signal),
    })),
    combine: answers => new Map(terms.map((term, i) => [term.id, answers[i]?.data ?? ''])),
  })
}

async function pathTo(vocabulary: number, id: number | null, signal: AbortSignal): Promise<string> {
  const labels: string[] = []
  for (let next = id; next !== null; ) {
    const answer = await data(
      api.GET('/api/v1/metadata/vocabularies/{vocabulary}/terms/{term}', {
        params: { path: { vocabulary: String(vocabulary), term: next } },
        signal,
      }),
    )
    labels.unshift(answer.data.label)
    next = answer.data.parent_id
  }
  return labels.join(' › ')
}
