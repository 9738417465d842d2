import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { api, data, type Schemas } from '~/api/client'

export type AssetItem = Schemas['AssetItem']

/** What a list of assets is asked for; the same words as in the address. */
export interface AssetQuery {
  q?: string
  filters?: string
  sort_by?: Schemas['AssetSort']
  sort_direction?: Schemas['SortDirection']
  trashed?: Schemas['Trashed']
}

export const pageSize = 100

const names = ['q', 'filters', 'sort_by', 'sort_direction'] as const

/** The query in the page's address, so that back, reload and a shared link show the same. */
export function useAssetQuery(): AssetQuery {
  const [params] = useSearchParams()
  return useMemo(() => {
    const query: Record<string, string> = {}
    for (const name of names) {
      const value = params.get(name)
      if (value) query[name] = value
    }
    return query as AssetQuery
  }, [params])
}

/** Asks for one page; the key has all that the answer depends on. */
export function assetPage(query: AssetQuery, page: number) {
  return {
    queryKey: ['assets', query, page] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      data(api.GET('/api/v1/assets', { params: { query: { ...query, page, per_page: pageSize } }, signal })),
  }
}

/** The pages from first to last, counted from 0, as far as they have come. */
export function useAssetPages(query: AssetQuery, first: number, last: number) {
  const pages = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
  const answers = useQueries({ queries: pages.map(p => assetPage(query, p + 1)) })
  const items = new Map<number, AssetItem>()
  answers.forEach((a, i) => {
    const at = (pages[i] ?? 0) * pageSize
    a.data?.data.forEach((item, j) => items.set(at + j, item))
  })
  return {
    items,
    total: answers.find(a => a.data)?.data?.meta.total,
    error: answers.find(a => a.error)?.error ?? null,
  }
}
