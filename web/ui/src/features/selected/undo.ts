import type { QueryClient } from '@tanstack/react-query'
import type { Schemas } from '~/api/client'
import { knownAssets } from '~/features/assets/named'
import type { AssetItem } from '~/features/assets/query'

/** A change that takes another one back for some of its assets. */
export interface Step {
  gaids: string[]
  changes: Schemas['BulkChanges']
}

const plain = ['workflow_status', 'asset_class_id', 'rating'] as const
type Plain = (typeof plain)[number]

/** What takes changes back; null when that is not known, or not of every asset. */
export function stepsBack(
  client: QueryClient,
  gaids: readonly string[] | undefined,
  changes: Schemas['BulkChanges'],
): Step[] | null {
  if (!gaids) return null
  const known = knownAssets(client)
  const assets = gaids.flatMap(g => known.get(g) ?? [])
  if (assets.length < gaids.length) return null
  const steps: Step[] = []
  for (const [name, value] of Object.entries(changes)) {
    if (plain.includes(name as Plain)) steps.push(...toBefore(assets, name as Plain))
    else if (name === 'add_keywords') steps.push(...words(assets, value as string[], false))
    else if (name === 'remove_keywords') steps.push(...words(assets, value as string[], true))
    else return null
  }
  return steps
}

/** One step for each value that assets had. */
function toBefore(assets: readonly AssetItem[], name: Plain): Step[] {
  const byValue = new Map<unknown, string[]>()
  for (const a of assets) byValue.set(a[name], [...(byValue.get(a[name]) ?? []), a.gaid])
  return [...byValue].map(([value, gaids]) => ({ gaids, changes: { [name]: value } }))
}

/** One step for each keyword that some assets had, or had not. */
function words(assets: readonly AssetItem[], keywords: readonly string[], had: boolean): Step[] {
  return keywords.flatMap(word => {
    const is = (k: string) => k.toLowerCase() === word.toLowerCase()
    const gaids = assets.filter(a => a.keywords.some(is) === had).map(a => a.gaid)
    const changes = had ? { add_keywords: [word] } : { remove_keywords: [word] }
    return gaids.length > 0 ? [{ gaids, changes }] : []
  })
}
