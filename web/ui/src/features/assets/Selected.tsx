import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef } from 'react'
import { ApiError, api, data } from '~/api/client'
import { useSelection } from '~/features/selection/context'
import { shownRatio } from './justified'
import { inTurn, type LoadedList, pagedList } from './list'
import { begin, type KeptPlace } from './place'
import { type AssetItem, type AssetList, pageSize } from './query'

interface SelectedProps {
  list: LoadedList
  place: KeptPlace
  children: (list: LoadedList, place: KeptPlace) => ReactNode
}

/** The list, or only what is selected of it while that is asked for. */
export function Selected({ list, place, children }: SelectedProps) {
  const client = useQueryClient()
  const { shown } = useSelection()
  const own = useRef<KeptPlace>({ current: begin, keep: () => {} })
  const selected = useMemo(() => shown && namedList(client, list, shown), [client, list, shown])
  return selected ? children(selected, own.current) : children(list, place)
}

/** A list of assets by their names, in that order. */
function namedList(client: QueryClient, list: LoadedList, names: readonly string[]): LoadedList {
  const known = knownAssets(client)
  const shape = {
    source: list.source,
    total: names.length,
    months: null,
    anchor: null,
    ratios: Float32Array.from(names, n => shownRatio(known.get(n)?.width ?? 3, known.get(n)?.height ?? 2)),
  }
  return pagedList(client, shape, p => {
    const wanted = names.slice(p * pageSize, (p + 1) * pageSize)
    return {
      queryKey: ['assets', 'named', wanted],
      queryFn: async ({ signal }) => ({ data: await readNamed(known, wanted, signal) }),
      gcTime: 120_000,
    }
  })
}

/** The assets that are here from any list. */
function knownAssets(client: QueryClient): Map<string, AssetItem> {
  const pages = client.getQueriesData<Partial<AssetList>>({ queryKey: ['assets'] })
  return new Map(
    pages.flatMap(([, page]) => (Array.isArray(page?.data) ? page.data.map(a => [a.gaid, a] as const) : [])),
  )
}

/** Reads assets by name; those that are gone are left out. */
async function readNamed(known: Map<string, AssetItem>, names: readonly string[], signal: AbortSignal) {
  const found = await inTurn(names, gaid => known.get(gaid) ?? readOne(gaid, signal))
  return found.filter(a => a !== null)
}

async function readOne(gaid: string, signal: AbortSignal): Promise<AssetItem | null> {
  try {
    return (await data(api.GET('/api/v1/assets/{gaid}', { params: { path: { gaid } }, signal }))).data
  } catch (e) {
    if (e instanceof ApiError && e.status === 404) return null
    throw e
  }
}
