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
    else if (name in opposite) steps.push(...words(assets, value as string[], name as WordChange))
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

const opposite = {
  add_keywords: 'remove_keywords',
  remove_keywords: 'add_keywords',
  add_people: 'remove_people',
  remove_people: 'add_people',
} as const
type WordChange = keyof typeof opposite

/** The steps that undo added or removed keywords or names; removed ones come back in the spelling of each asset. */
function words(assets: readonly AssetItem[], changed: readonly string[], change: WordChange): Step[] {
  const field = change.endsWith('_people') ? 'people' : 'keywords'
  const had = change.startsWith('remove_')
  return changed.flatMap(word => {
    const own = (a: AssetItem) => a[field].find(k => k.toLowerCase() === word.toLowerCase())
    const touched = assets.filter(a => (own(a) !== undefined) === had)
    return byValue(touched, a => own(a) ?? word).map(([spelling, gaids]) => ({
      gaids,
      changes: { [opposite[change]]: [spelling] },
    }))
  })
}
