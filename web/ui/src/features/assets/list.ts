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

/** A result of which only visited pages are loaded. */
export interface LoadedList {
  source: AssetSource
  total: number
  /** The aspect ratio, width to height, of each asset. */
  ratios: ArrayLike<number>
  /** The sections of a result that is sorted by a date, in order. */
  sections: readonly Section[] | null
  /** The position of the asset at which the view should start. */
  anchor: Outline['at']
  /** The text of the search as the server understood it; absent without a text, or while it is loading. */
  understood?: string | undefined
  at: (index: number) => AssetItem | undefined
  /** The index of an asset if it is loaded; null otherwise. */
  indexOf: (gaid: string) => number | null
  /** The GAIDs of the assets in a range of indexes, loaded or not. */
  gaids: (from: number, to: number) => Promise<string[]>
  /** The query that loads a page. */
  page: (page: number) => ListPage
}

interface ListPage {
  queryKey: readonly unknown[]
  queryFn: (context: { signal: AbortSignal }) => Promise<AssetItems>
  gcTime: number
}

type AssetItems = Pick<AssetList, 'data'>

/** A list of `total` assets that is loaded page by page. */
export function pagedList(
  client: QueryClient,
  list: Pick<LoadedList, 'source' | 'total' | 'ratios' | 'sections' | 'anchor' | 'understood'>,
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

/** Calls fn for each item, a few concurrently; the results keep the items' order. */
export async function inTurn<T, R>(items: readonly T[], fn: (item: T) => R | Promise<R>): Promise<R[]> {
  const answers: R[] = []
  for (let i = 0; i < items.length; i += atOnce) {
    answers.push(...(await Promise.all(items.slice(i, i + atOnce).map(fn))))
  }
  return answers
}

const unknownRatio = 1.5

/** The aspect ratios of a whole result, or of its first page if it is too long for an outline. */
function ratiosOf(outline: Outline, head: readonly AssetItem[] | undefined): Float32Array {
  const { ratios } = outline
  if (ratios) return Float32Array.from(ratios, r => shownRatioOf(r / 100))
  return Float32Array.from({ length: outline.total }, (_, i) => {
    const a = head?.[i]
    return a ? shownRatio(a.width, a.height) : unknownRatio
  })
}

/** The list of a source, undefined until its outline is loaded. `at` returns the asset to locate. */
export function useAssetList(source: AssetSource, at: () => string | undefined) {
  const client = useQueryClient()
  const first = useQuery(assetPage(source, 0))
  const outline = useQuery(assetOutline(source, at))
  const head = outline.data?.ratios ? undefined : first.data?.data
  const understood = first.data?.meta.query?.readable
  const list = useMemo<LoadedList | undefined>(() => {
    if (!outline.data) return undefined
    const { total, at: anchor } = outline.data
    const sections = sectionsOf(outline.data)
    const shape = { source, total, sections, anchor, understood, ratios: ratiosOf(outline.data, head) }
    return pagedList(client, shape, p => assetPage(source, p))
  }, [client, source, outline.data, head, understood])
  return { list, error: outline.error ?? first.error, retry: () => void outline.refetch() }
}

const readEvery = 120 // milliseconds, while scrolling
const readAhead = 40 // assets above and below the view

/** A range of items that follows another one with a limited rate. */
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

/** Loads the pages with the items in a range of indexes, and renders again when they arrive. */
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

/** The GAIDs of a list's selection; all but a few are loaded page by page. */
export async function selectedGaids(list: LoadedList, selection: Selection): Promise<readonly string[]> {
  if (selection.named) return selection.named
  const except = new Set(selection.except)
  return (await list.gaids(0, list.total - 1)).filter(g => !except.has(g))
}
