import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { api, data, type Schemas } from '~/api/client'

export type AssetItem = Schemas['AssetItem']
export type AssetList = Schemas['AssetList']

/** What a list of assets is asked for, in the words of the interface and of the page's address. */
export interface AssetQuery {
  q?: string
  filters?: string
  sort_by?: Schemas['AssetSort'] | 'position'
  sort_direction?: Schemas['Direction']
}

/** Where the assets of a list come from. */
export interface AssetSource {
  place: 'library' | 'trash' | number | { similar: string } // a number is a collection's
  query: AssetQuery
}

export const pageSize = 100

const queryNames = ['q', 'filters', 'sort_by', 'sort_direction'] as const

/** The query in the page's address, so that back, reload and a shared link show the same. */
export function useAssetQuery(): AssetQuery {
  const [params] = useSearchParams()
  return useMemo(() => {
    const query: Record<string, string> = {}
    for (const name of queryNames) {
      const value = params.get(name)
      if (value) query[name] = value
    }
    return query as AssetQuery
  }, [params])
}

/** The part of an address that makes useAssetQuery read the query again. */
export function queryText(query: AssetQuery): string {
  const text = new URLSearchParams(query as Record<string, string>).toString()
  return text && `?${text}`
}

function getPage({ place, query }: AssetSource, page: number, signal: AbortSignal): Promise<AssetList> {
  const words = { ...query, page, per_page: pageSize }
  if (typeof place === 'number') {
    const path = { collection: place }
    return data(
      api.GET('/api/v1/collections/{collection}/assets', { params: { path, query: words }, signal }),
    )
  }
  if (typeof place === 'object') return similarPage(place.similar, signal)
  const { sort_by, ...others } = words
  const sort = sort_by === 'position' || !sort_by ? {} : { sort_by }
  const trash = place === 'trash' ? ({ trashed: 'only' } as const) : {}
  return data(api.GET('/api/v1/assets', { params: { query: { ...others, ...sort, ...trash } }, signal }))
}

/** The assets similar to one, which come all at once, as a list of one page. */
async function similarPage(gaid: string, signal: AbortSignal): Promise<AssetList> {
  const { data: assets, meta } = await data(
    api.GET('/api/v1/assets/{gaid}/similar', {
      params: { path: { gaid }, query: { per_page: pageSize } },
      signal,
    }),
  )
  const page = {
    current_page: 1,
    last_page: 1,
    per_page: pageSize,
    total: assets.length,
    path: '',
    links: [],
  }
  return {
    data: assets,
    links: { first: '', last: '', prev: null, next: null },
    meta: { ...page, from: assets.length ? 1 : null, to: assets.length || null, meaning: meta.meaning },
  }
}

/** Asks for one page, counted from 0; the key has all that the answer depends on. */
export function assetPage(source: AssetSource, page: number) {
  return {
    queryKey: ['assets', source.place, source.query, page] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => getPage(source, page + 1, signal),
  }
}
