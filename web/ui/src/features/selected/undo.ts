import type { Schemas } from '~/api/client'
import { shiftBack } from '~/features/assets/capture'
import type { AssetItem } from '~/features/assets/query'

/** A change that undoes another one for some of its assets. */
export interface Step {
  gaids: string[]
  changes: Schemas['BulkChanges']
}

const plain = [
  'workflow_status',
  'asset_class_id',
  'rating',
  'capture_utc_offset',
  'description',
  'creator',
  'copyright',
  'usage_terms',
] as const
type Plain = (typeof plain)[number]

const most = 50 // steps; each is an operation

/** The steps that undo changes of assets; null if unknown or too many. */
export function stepsBack(assets: readonly AssetItem[], changes: Schemas['BulkChanges']): Step[] | null {
  const steps: Step[] = []
  for (const [name, value] of Object.entries(changes)) {
    if (plain.includes(name as Plain)) steps.push(...toBefore(assets, name as Plain))
    else if (name === 'capture_shift') steps.push(...shifted(assets, String(value)))
    else if (name === 'metadata') steps.push(...metadata(assets, Object.keys(value as object)))
    else if (name === 'add_keywords') steps.push(...words(assets, value as string[], false))
    else if (name === 'remove_keywords') steps.push(...words(assets, value as string[], true))
    else return null
  }
  return steps.length <= most ? steps : null
}

/** One step for each previous value. */
function toBefore(assets: readonly AssetItem[], name: Plain): Step[] {
  return byValue(assets, a => a[name]).map(([value, gaids]) => ({ gaids, changes: { [name]: value } }))
}

/** The step that undoes a shift of capture times. */
function shifted(assets: readonly AssetItem[], shift: string): Step[] {
  const gaids = assets.filter(a => a.capture_date).map(a => a.gaid)
  return gaids.length > 0 ? [{ gaids, changes: { capture_shift: shiftBack(shift) } }] : []
}

/** One step for each combination of previous values of custom fields. */
function metadata(assets: readonly AssetItem[], keys: readonly string[]): Step[] {
  const had = (a: AssetItem) => Object.fromEntries(keys.map(k => [k, a.metadata[k] ?? null]))
  return byValue(assets, had).map(([value, gaids]) => ({ gaids, changes: { metadata: value } }))
}

function byValue<T>(assets: readonly AssetItem[], of: (a: AssetItem) => T): [T, string[]][] {
  const found = new Map<string, [T, string[]]>()
  for (const a of assets) {
    const value = of(a)
    const key = JSON.stringify(value)
    const known = found.get(key)
    if (known) known[1].push(a.gaid)
    else found.set(key, [value, [a.gaid]])
  }
  return [...found.values()]
}

/** One step for each keyword that some assets had, or did not have. */
function words(assets: readonly AssetItem[], keywords: readonly string[], had: boolean): Step[] {
  return keywords.flatMap(word => {
    const is = (k: string) => k.toLowerCase() === word.toLowerCase()
    const gaids = assets.filter(a => a.keywords.some(is) === had).map(a => a.gaid)
    const changes = had ? { add_keywords: [word] } : { remove_keywords: [word] }
    return gaids.length > 0 ? [{ gaids, changes }] : []
  })
}
