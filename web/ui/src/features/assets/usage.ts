import type { AssetItem } from './query'

/** The number of days before the end of a usage period that count as near its end. */
export const endingDays = 30
const day = 24 * 3600 * 1000

export interface Usage {
  state: 'upcoming' | 'ending' | 'expired'
  /** The start or end of the period. */
  at: string
  /** Near the end: remaining days, starting at 1. */
  days: number
}

/** The relevant limit of an asset's usage period; null if it can be used for a while. */
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
