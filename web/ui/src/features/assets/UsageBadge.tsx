import { useFormat, useTexts } from '~/text/context'
import css from './Cell.module.css'
import type { AssetItem } from './query'
import { texts } from './texts'
import { usageOf } from './usage'

/** A badge for assets outside their usage period, or near its end. */
export function UsageBadge({ asset }: { asset: AssetItem }) {
  const t = useTexts(texts)
  const format = useFormat()
  const usage = usageOf(asset)
  if (!usage) return null
  const { state, days } = usage
  const text = state === 'ending' ? t.endsIn(format.number(days), days === 1) : t.usage[state]
  return <span className={state === 'ending' ? css.badge : `${css.badge} ${css.unusable}`}>{text}</span>
}
