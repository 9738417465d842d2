import type { QueryClient } from '@tanstack/react-query'
import { ApiError, api, data } from '~/api/client'
import { shownRatio } from './justified'
import { inTurn, type LoadedList, pagedList } from './list'
import { type AssetItem, type AssetList, pageSize } from './query'

/** A list of assets by GAID, in that order. */
export function namedList(client: QueryClient, list: LoadedList, names: readonly string[]): LoadedList {
  const known = knownAssets(client)
  const shape = {
    source: list.source,
    total: names.length,
    sections: null,
    anchor: null,
    ratios: Float32Array.from(names, n => shownRatio(known.get(n)?.width ?? 3, known.get(n)?.height ?? 2)),
  }
  return pagedList(client, shape, p => {
    const wanted = names.slice(p * pageSize, (p + 1) * pageSize)
    return {
      queryKey: ['assets', 'named', wanted],
      queryFn: async ({ signal }) => ({ data: await readMissing(known, wanted, signal) }),
      gcTime: 120_000,
    }
  })
}

/** The assets loaded by any list. */
function knownAssets(client: QueryClient): Map<string, AssetItem> {
  const pages = client.getQueriesData<Partial<AssetList>>({ queryKey: ['assets'] })
  return new Map(
    pages.flatMap(([, page]) => (Array.isArray(page?.data) ? page.data.map(a => [a.gaid, a] as const) : [])),
  )
}

/** Loads assets by GAID; deleted ones are omitted. */
async function readMissing(known: Map<string, AssetItem>, names: readonly string[], signal?: AbortSignal) {
  const found = await inTurn(names, gaid => known.get(gaid) ?? readOne(gaid, signal))
  return found.filter(a => a !== null)
}

async function readOne(gaid: string, signal?: AbortSignal): Promise<AssetItem | null> {
  try {
    const init = { params: { path: { gaid } }, ...(signal && { signal }) }
    return (await data(api.GET('/api/v1/assets/{gaid}', init))).data
  } catch (e) {
    if (e instanceof ApiError && e.status === 404) return null
    throw e
  }
}

/** The assets with these GAIDs, loaded if necessary. */
export function namedAssets(client: QueryClient, names: readonly string[]): Promise<AssetItem[]> {
  return readMissing(knownAssets(client), names)
}
