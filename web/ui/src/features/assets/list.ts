import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Selection } from '~/features/selection/selection'
import { shownRatio, shownRatioOf } from './justified'
import {
  type AssetItem,
  type AssetList,
  type AssetSource,
  assetOutline,
  assetPage,
  type Outline,
  pageSize,
} from './query'
import { type Section, sectionsOf } from './sections'

/** A result of which only the pages that somebody looked at are here. */
export interface LoadedList {
  source: AssetSource
  total: number
  /** The ratio of width to height of each asset. */
  ratios: ArrayLike<number>
  /** The parts of a result that is sorted by a date, in its order. */
  sections: readonly Section[] | null
  /** Where the asset is that one asked for as the place to begin. */
  anchor: Outline['at']
  at: (index: number) => AssetItem | undefined
  /** Where an asset is, as far as it is here; null when it is not. */
  indexOf: (gaid: string) => number | null
  /** The names of assets from one index to another, whether they are here or not. */
  gaids: (from: number, to: number) => Promise<string[]>
  /** What to ask for to have a page here. */
  page: (page: number) => ListPage
}

interface ListPage {
  queryKey: readonly unknown[]
  queryFn: (context: { signal: AbortSignal }) => Promise<AssetItems>
  gcTime: number
}

type AssetItems = Pick<AssetList, 'data'>

/** A list of `total` assets that is read page by page. */
export function pagedList(
  client: QueryClient,
  list: Pick<LoadedList, 'source' | 'total' | 'ratios' | 'sections' | 'anchor'>,
  page: (page: number) => ListPage,
): LoadedList {
  const loaded = (p: number) => client.getQueryData<AssetItems>(page(p).queryKey)
  return {
    ...list,
    page,
    at: i => (i < 0 ? undefined : loaded(Math.floor(i / pageSize))?.data[i % pageSize]),
    indexOf: gaid => {
      for (let p = 0; p * pageSize < list.total; p++) {
        const i = loaded(p)?.data.findIndex(a => a.gaid === gaid) ?? -1
        if (i >= 0) return p * pageSize + i
      }
      return list.anchor?.gaid === gaid ? list.anchor.index : null
    },
    gaids: async (from, to) => {
      const first = Math.floor(from / pageSize)
      const wanted = Array.from({ length: Math.floor(to / pageSize) - first + 1 }, (_, i) => first + i)
      const pages = await inTurn(wanted, p => client.ensureQueryData(page(p)))
      return pages.flatMap((answer, p) =>
        answer.data.flatMap((a, i) => {
          const index = (first + p) * pageSize + i
          return index >= from && index <= to ? [a.gaid] : []
        }),
      )
    },
  }
}

const atOnce = 4

/** Does something for each item, a few at a time; the answers keep the items' order. */
export async function inTurn<T, R>(items: readonly T[], fn: (item: T) => R | Promise<R>): Promise<R[]> {
  const answers: R[] = []
  for (let i = 0; i < items.length; i += atOnce) {
    answers.push(...(await Promise.all(items.slice(i, i + atOnce).map(fn))))
  }
  return answers
}

const unknownRatio = 1.5

/** The ratios of a whole result; of one that is too long for an outline those of its first page. */
function ratiosOf(outline: Outline, head: readonly AssetItem[] | undefined): Float32Array {
  const { ratios } = outline
  if (ratios) return Float32Array.from(ratios, r => shownRatioOf(r / 100))
  return Float32Array.from({ length: outline.total }, (_, i) => {
    const a = head?.[i]
    return a ? shownRatio(a.width, a.height) : unknownRatio
  })
}

/** The list of a source, undefined until its shape is known. `at` names the asset that is to be found. */
export function useAssetList(source: AssetSource, at: () => string | undefined) {
  const client = useQueryClient()
  const first = useQuery(assetPage(source, 0))
  const outline = useQuery(assetOutline(source, at))
  const head = outline.data?.ratios ? undefined : first.data?.data
  const list = useMemo<LoadedList | undefined>(() => {
    if (!outline.data) return undefined
    const { total, at: anchor } = outline.data
    const sections = sectionsOf(outline.data)
    const shape = { source, total, sections, anchor, ratios: ratiosOf(outline.data, head) }
    return pagedList(client, shape, p => assetPage(source, p))
  }, [client, source, outline.data, head])
  return { list, error: outline.error ?? first.error, retry: () => void outline.refetch() }
}

const readEvery = 120 // milliseconds, while the view moves
const readAhead = 40 // assets below and above the view

/** A range of items that follows another one at most every so often. */
function useUnhurried(first: number, last: number): [number, number] {
  const [range, setRange] = useState<[number, number]>([first, last])
  const latest = useRef<[number, number]>([first, last])
  const timer = useRef<number>(undefined)
  latest.current = [first, last]
  useEffect(() => {
    if (range[0] === first && range[1] === last) return
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      setRange(latest.current)
    }, readEvery)
  }, [first, last, range])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  return range
}

/** Keeps the pages loaded that have the items from one index to another; renders again when they come. */
export function useLoaded(list: LoadedList, from: number, to: number) {
  const page = (i: number) => Math.floor(Math.max(0, Math.min(list.total - 1, i)) / pageSize)
  const [first, last] = useUnhurried(page(from - readAhead), page(Math.max(from, to) + readAhead))
  return useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, i) => list.page(first + i)),
    combine: answers => ({
      pages: answers.map(a => a.data),
      error: answers.find(a => a.error)?.error ?? null,
      retry: () => {
        for (const a of answers) if (a.error) void a.refetch()
      },
    }),
  })
}

/** The names of what is selected of a list; all but a few of it are asked for page by page. */
export async function selectedGaids(list: LoadedList, selection: Selection): Promise<readonly string[]> {
  if (selection.named) return selection.named
  const except = new Set(selection.except)
  return (await list.gaids(0, list.total - 1)).filter(g => !except.has(g))
}
