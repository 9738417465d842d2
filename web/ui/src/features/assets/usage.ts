import type { AssetItem } from './query'

/** How many days before its end a usage is about to end. */
export const endingDays = 30
const day = 24 * 3600 * 1000

export interface Usage {
  state: 'upcoming' | 'ending' | 'expired'
  /** When that begins or ends. */
  at: string
  /** Of one that is about to end: days left, from 1. */
  days: number
}

/** What is particular about when an asset may be used; null if it may be for a while. */
export function usageOf(
  asset: Pick<AssetItem, 'usage_from' | 'usage_until'>,
  now = Date.now(),
): Usage | null {
  const { usage_from: from, usage_until: until } = asset
  if (until && Date.parse(until) <= now) return { state: 'expired', at: until, days: 0 }
  if (from && Date.parse(from) > now) return { state: 'upcoming', at: from, days: 0 }
  if (!until) return null
  const days = Math.ceil((Date.parse(until) - now) / day)
  return days > endingDays ? null : { state: 'ending', at: until, days }
}
