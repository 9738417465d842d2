import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Selection } from '~/features/selection/selection'
import { shownRatio } from './justified'
import { type AssetItem, type AssetList, type AssetSource, assetPage, pageSize } from './query'

/** A result of which only the pages that somebody looked at are here. */
export interface LoadedList {
  source: AssetSource
  total: number
  /** The ratio of width to height of each asset. */
  ratios: ArrayLike<number>
  at: (index: number) => AssetItem | undefined
  /** Where an asset is, as far as it is here; null when it is not. */
  indexOf: (gaid: string) => number | null
  /** The names of assets from one index to another, whether they are here or not. */
  gaids: (from: number, to: number) => Promise<string[]>
}

function loaded(client: QueryClient, source: AssetSource, page: number) {
  return client.getQueryData<AssetList>(assetPage(source, page).queryKey)
}

/** The list of a source; undefined until its first page has come. */
export function useAssetList(source: AssetSource) {
  const client = useQueryClient()
  const first = useQuery(assetPage(source, 0))
  const list = useMemo<LoadedList | undefined>(() => {
    if (!first.data) return undefined
    const { total } = first.data.meta
    const head = first.data.data
    return {
      source,
      total,
      ratios: Float32Array.from({ length: total }, (_, i) => {
        const a = head[i]
        return a ? shownRatio(a.width, a.height) : 1.5
      }),
      at: i => loaded(client, source, Math.floor(i / pageSize))?.data[i % pageSize],
      indexOf: gaid => {
        for (let p = 0; p * pageSize < total; p++) {
          const i = loaded(client, source, p)?.data.findIndex(a => a.gaid === gaid) ?? -1
          if (i >= 0) return p * pageSize + i
        }
        return null
      },
      gaids: async (from, to) => {
        const names: string[] = []
        for (let p = Math.floor(from / pageSize); p <= Math.floor(to / pageSize); p++) {
          const page = await client.ensureQueryData(assetPage(source, p))
          page.data.forEach((a, i) => {
            const index = p * pageSize + i
            if (index >= from && index <= to) names.push(a.gaid)
          })
        }
        return names
      },
    }
  }, [client, source, first.data])
  return { list, error: first.error }
}

/** Keeps the pages loaded that have the items from one index to another; renders again when they come. */
export function useLoaded(source: AssetSource, from: number, to: number) {
  const first = Math.floor(from / pageSize)
  const last = Math.floor(Math.max(from, to) / pageSize)
  useQueries({ queries: Array.from({ length: last - first + 1 }, (_, i) => assetPage(source, first + i)) })
}

/** The names of what is selected of a list; all but a few of it are asked for page by page. */
export async function selectedGaids(list: LoadedList, selection: Selection): Promise<readonly string[]> {
  if (selection.named) return selection.named
  const except = new Set(selection.except)
  return (await list.gaids(0, list.total - 1)).filter(g => !except.has(g))
}
