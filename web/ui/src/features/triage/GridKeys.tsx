import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { LoadedList } from '~/features/assets/list'
import type { AssetItem, AssetList } from '~/features/assets/query'
import { useSelection } from '~/features/selection/context'
import { most } from './triage'
import { useTriageKeys } from './useTriageKeys'

/** The keys that change the selected assets in a grid, or the focused one. */
export function GridKeys({ list }: { list: LoadedList }) {
  const client = useQueryClient()
  const selection = useSelection()
  const targets = async () => {
    if (!selection.isEmpty) {
      if (selection.count(list.total) > most) return 'many'
      const names = selection.named ?? (await list.gaids(0, list.total - 1)).filter(g => selection.has(g))
      return loadedItems(client, new Set(names))
    }
    const cell = document.activeElement?.closest<HTMLElement>('[data-index]')
    const asset = cell && list.at(Number(cell.dataset.index))
    return asset ? [asset] : []
  }
  return useTriageKeys({ within: '[role=grid]', targets }).dialogs
}

/** The items with these GAIDs that any list has loaded. */
function loadedItems(client: QueryClient, gaids: ReadonlySet<string>): AssetItem[] {
  const found = new Map<string, AssetItem>()
  for (const [, page] of client.getQueriesData<AssetList>({ queryKey: ['assets'] })) {
    if (!page || !Array.isArray(page.data)) continue
    for (const a of page.data) if (gaids.has(a.gaid)) found.set(a.gaid, a)
  }
  return [...found.values()]
}
