import { CircleCheck } from 'lucide-react'
import { useMemo } from 'react'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import css from './Heading.module.css'
import type { LoadedList } from './list'
import type { Section } from './sections'
import { texts } from './texts'

/** A section's name in the current language. */
export function useSectionName() {
  const t = useTexts(texts)
  const format = useFormat()
  return useMemo(
    () =>
      ({ period }: Section) => {
        if (period === null) return t.noDate
        return period.length > 4 ? format.yearMonth(period) : period
      },
    [t, format],
  )
}

interface HeadingProps {
  list: LoadedList
  section: Section
  /** Repeats a heading that is scrolled out of view; hidden from screen readers. */
  repeated?: boolean
}

/** The heading of a section; its button selects all of its assets. */
export function Heading({ list, section, repeated = false }: HeadingProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const name = useSectionName()(section)
  const selection = useSelection()
  const select = async () => {
    const names = await list.gaids(section.index, section.index + section.count - 1)
    if (names.every(n => selection.has(n))) selection.remove(names)
    else selection.add(names)
  }
  return (
    <div
      className={repeated ? `${css.heading} ${css.repeated}` : css.heading}
      aria-hidden={repeated || undefined}
    >
      <span className={css.name}>{name}</span>
      <span className={css.count}>{format.number(section.count)}</span>
      <button
        type="button"
        className={css.select}
        tabIndex={repeated ? -1 : 0}
        aria-label={t.selectSection(name)}
        title={t.selectSection(name)}
        onClick={() => void select()}
      >
        <CircleCheck />
      </button>
    </div>
  )
}
