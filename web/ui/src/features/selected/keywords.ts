import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data } from '~/api/client'
import type { LoadedList } from '~/features/assets/list'
import { namedAssets } from '~/features/assets/named'
import { textOf } from '~/features/assets/query'
import type { Selection } from '~/features/selection/selection'

export interface KeywordCount {
  word: string
  /** The number of selected assets that have it. */
  count: number
}

/** The keywords of the selection, most frequent first. */
export function useKeywordCounts(list: LoadedList, selection: Selection) {
  const client = useQueryClient()
  const { named, except } = selection
  return useQuery({
    queryKey: ['keywords-of', list.source, named, except],
    gcTime: 0,
    queryFn: async (): Promise<KeywordCount[]> => {
      const { place } = list.source
      const counted = place === 'library' || typeof place === 'number'
      if (!named && except.length === 0 && counted) return await countsOfResult(list)
      const left = new Set(except)
      const names = named ?? (await list.gaids(0, list.total - 1)).filter(g => !left.has(g))
      return countsOf((await namedAssets(client, names)).map(a => a.keywords))
    },
  })
}

function countsOf(lists: readonly (readonly string[])[]): KeywordCount[] {
  const counts = new Map<string, number>()
  for (const words of lists) for (const w of words) counts.set(w, (counts.get(w) ?? 0) + 1)
  return [...counts]
    .map(([word, count]) => ({ word, count }))
    .sort((a, b) => b.count - a.count || a.word.localeCompare(b.word))
}

/** The hundred most frequent keywords of a whole result. */
async function countsOfResult({ source }: LoadedList): Promise<KeywordCount[]> {
  const { place, query } = source
  const words = {
    ...textOf(query),
    ...(query.filters && { filters: query.filters }),
    facets: 'keywords',
    per_page: 1,
  }
  const answer =
    typeof place === 'number'
      ? await data(
          api.GET('/api/v1/collections/{collection}/assets', {
            params: { path: { collection: place }, query: words },
          }),
        )
      : await data(api.GET('/api/v1/assets', { params: { query: words } }))
  return (answer.meta.facets?.keywords ?? []).map(v => ({ word: String(v.value), count: v.count }))
}
