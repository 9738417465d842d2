import { CircleCheck } from 'lucide-react'
import { useMemo } from 'react'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import css from './Heading.module.css'
import type { LoadedList } from './list'
import type { Outline } from './query'
import { texts } from './texts'

export type Month = NonNullable<Outline['months']>[number]

/** A month's name in the present language. */
export function useMonthName() {
  const t = useTexts(texts)
  const format = useFormat()
  return useMemo(() => (m: Month) => (m.month === null ? t.noDate : format.yearMonth(m.month)), [t, format])
}

interface HeadingProps {
  list: LoadedList
  month: Month
  /** It repeats the heading that has been scrolled away, for the eye only. */
  repeated?: boolean
}

/** What stands above a month's assets; its button selects all of them. */
export function Heading({ list, month, repeated = false }: HeadingProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const name = useMonthName()(month)
  const selection = useSelection()
  const select = async () => {
    const names = await list.gaids(month.index, month.index + month.count - 1)
    if (names.every(n => selection.has(n))) selection.remove(names)
    else selection.add(names)
  }
  return (
    <div
      className={repeated ? `${css.heading} ${css.repeated}` : css.heading}
      aria-hidden={repeated || undefined}
    >
      <span className={css.name}>{name}</span>
      <span className={css.count}>{format.number(month.count)}</span>
      <button
        type="button"
        className={css.select}
        tabIndex={repeated ? -1 : 0}
        aria-label={t.selectMonth(name)}
        title={t.selectMonth(name)}
        onClick={() => void select()}
      >
        <CircleCheck />
      </button>
    </div>
  )
}
