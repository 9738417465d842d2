import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { api, data, type Schemas } from '~/api/client'

export type AssetItem = Schemas['AssetItem']
export type AssetList = Schemas['AssetList']

/** The query of a list of assets, with the names used by the API and in the page's URL. */
export interface AssetQuery {
  q?: string
  filters?: string
  /** Excludes semantic matches. */
  meaning?: 'false'
  sort_by?: Schemas['AssetSort'] | 'position'
  sort_direction?: Schemas['Direction']
}

/** The source of a list of assets. */
export interface AssetSource {
  place: 'library' | 'trash' | number | { similar: string } // a number is a collection's id
  query: AssetQuery
}

export const pageSize = 100

const queryNames = ['q', 'filters', 'meaning', 'sort_by', 'sort_direction'] as const

/** The query in the page's URL, so that the back button, a reload and a shared link show the same. */
export function useAssetQuery(): AssetQuery {
  const [params] = useSearchParams()
  const text = queryText(Object.fromEntries(queryNames.map(name => [name, params.get(name)])))
  return useMemo(() => Object.fromEntries(new URLSearchParams(text)) as AssetQuery, [text])
}

/** The URL query string that useAssetQuery parses to the same query. */
export function queryText(query: { [name: string]: string | null | undefined } | AssetQuery): string {
  const words = Object.entries(query).filter(([, value]) => value) as [string, string][]
  const text = new URLSearchParams(words).toString()
  return text && `?${text}`
}

/** The text of a query in the API's format, and whether to search semantically. */
export function textOf({ q, meaning }: AssetQuery): { q?: string; meaning?: boolean } {
  return { ...(q && { q }), ...(q && meaning && { meaning: false }) }
}

/** The API parameters for a collection's list. */
function collectionWords({ q, meaning, ...others }: AssetQuery) {
  return { ...others, ...textOf({ q, meaning }) }
}

/** The API parameters for other lists. */
function libraryWords({ place, query }: AssetSource) {
  const { sort_by, ...others } = collectionWords(query)
  const sort = sort_by === 'position' || !sort_by ? {} : { sort_by }
  const trash = place === 'trash' ? ({ trashed: 'only' } as const) : {}
  return { ...others, ...sort, ...trash }
}

function getPage(source: AssetSource, page: number, signal: AbortSignal): Promise<AssetList> {
  const words = { page, per_page: pageSize }
  if (typeof source.place === 'number') {
    const params = {
      path: { collection: source.place },
      query: { ...collectionWords(source.query), ...words },
    }
    return data(api.GET('/api/v1/collections/{collection}/assets', { params, signal }))
  }
  if (typeof source.place === 'object') return similarPage(source.place.similar, signal)
  const query = { ...libraryWords(source), ...words }
  return data(api.GET('/api/v1/assets', { params: { query }, signal }))
}

/** Whether semantic search is still being prepared and may find more. */
const mayFindMore = (list?: AssetList) =>
  list?.meta.meaning === 'indexing' || list?.meta.meaning === 'loading'
const mayFindMoreAfter = 2000 // milliseconds

const pagesKept = 120_000 // milliseconds after they were visible

/** The assets similar to one, loaded together, as a list with one page. */
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

/** The query for one page, starting at 0; the key contains everything that the answer depends on. */
export function assetPage(source: AssetSource, page: number) {
  return {
    queryKey: ['assets', source.place, source.query, page] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => getPage(source, page + 1, signal),
    gcTime: pagesKept,
    refetchInterval: ({ state }: { state: { data?: AssetList } }) =>
      page === 0 && source.query.q && mayFindMore(state.data) ? mayFindMoreAfter : (false as const),
  }
}

export type Outline = Schemas['AssetOutline']

async function getOutline(
  source: AssetSource,
  at: string | undefined,
  signal: AbortSignal,
): Promise<Outline> {
  const near = at ? { at } : {}
  if (typeof source.place === 'number') {
    const params = {
      path: { collection: source.place },
      query: { ...collectionWords(source.query), ...near },
    }
    return (await data(api.GET('/api/v1/collections/{collection}/assets/outline', { params, signal }))).data
  }
  if (typeof source.place === 'object') {
    const assets = (await similarPage(source.place.similar, signal)).data
    const ratios = assets.map(a => (a.width && a.height ? Math.round((100 * a.width) / a.height) : 100))
    return { total: assets.length, ratios, months: null, at: null }
  }
  const query = { ...libraryWords(source), ...near }
  return (await data(api.GET('/api/v1/assets/outline', { params: { query }, signal }))).data
}

/** The query for the outline of a whole result, with the index of the asset that `at` returns at that time. */
export function assetOutline(source: AssetSource, at: () => string | undefined) {
  return {
    queryKey: ['assets', source.place, source.query, 'outline'] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => getOutline(source, at(), signal),
  }
}
