import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useSelection } from '~/features/selection/context'
import { useTexts } from '~/text/context'
import { Cell } from './Cell'
import css from './Grid.module.css'
import { justify, rowOf } from './justified'
import { type LoadedList, useLoaded } from './list'
import { moved } from './move'
import { texts } from './texts'

const gap = 4 // pixels, as in Grid.module.css
const targets = { narrow: 120, wide: 220 } // pixels of a row

interface GridProps {
  list: LoadedList
  /** The address of an asset's own page. */
  href: (gaid: string) => string
  onOpen: (gaid: string) => void
}

/** A list as a justified grid, of which only the rows in view exist. */
export function Grid({ list, href, onOpen }: GridProps) {
  const t = useTexts(texts)
  const selection = useSelection()
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [focused, setFocused] = useState(0)
  const moving = useRef(false)

  useLayoutEffect(() => {
    const el = box.current
    if (!el) return
    const inner = () => setWidth(el.clientWidth - 2 * 8)
    const observer = new ResizeObserver(inner)
    observer.observe(el)
    inner()
    return () => observer.disconnect()
  }, [])

  const target = width < 700 ? targets.narrow : targets.wide
  const layout = useMemo(
    () => justify(list.ratios, Math.max(1, width), target, gap),
    [list.ratios, width, target],
  )
  const rows = useVirtualizer({
    count: layout.rows,
    getScrollElement: () => box.current,
    estimateSize: i => (layout.heights[i] ?? 0) + gap,
    overscan: 3,
  })
  useLayoutEffect(() => {
    void layout
    rows.measure()
  }, [layout, rows])

  const shown = rows.getVirtualItems()
  const from = layout.first[shown[0]?.index ?? 0] ?? 0
  const to = (layout.first[(shown.at(-1)?.index ?? 0) + 1] ?? 1) - 1
  useLoaded(list.source, from, to)

  const goTo = (index: number) => {
    setFocused(index)
    moving.current = true
    rows.scrollToIndex(rowOf(layout, index), { align: 'auto' })
  }
  useEffect(() => {
    if (!moving.current) return
    const cell = box.current?.querySelector<HTMLElement>(`[data-index="${focused}"] a`)
    if (!cell) return // its row is still to come
    moving.current = false
    cell.focus({ preventScroll: true })
  })

  const selectTo = async (index: number, only: boolean) => {
    const anchor = selection.anchor ?? index
    const names = await list.gaids(Math.min(anchor, index), Math.max(anchor, index))
    selection.add(names, only)
  }

  const onKeyDown = (e: KeyboardEvent) => {
    const inView = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / (target + gap)))
    const next = moved(e.key, focused, layout, list.ratios, inView)
    const gaid = list.at(focused)?.gaid
    if (next !== null) {
      if (e.shiftKey) {
        if (selection.anchor === null && gaid) selection.only(gaid, focused)
        void selectTo(next, true)
      }
      goTo(next)
    } else if (e.key === ' ' && gaid) {
      selection.toggle(gaid, focused)
    } else if (e.key === 'Enter' && gaid) {
      onOpen(gaid)
    } else if (e.key === 'a' && (e.ctrlKey || e.metaKey)) {
      selection.all()
    } else if (e.key === 'Escape' && !selection.isEmpty) {
      selection.clear()
    } else return
    e.preventDefault()
    e.stopPropagation()
  }

  const onClick = (e: MouseEvent, index: number) => {
    const gaid = list.at(index)?.gaid
    if (!gaid) return
    setFocused(index)
    const onBox = e.target instanceof Element && e.target.closest('[data-check]') !== null
    if (e.shiftKey && selection.anchor !== null) void selectTo(index, !(e.ctrlKey || e.metaKey))
    else if (onBox || e.shiftKey || e.ctrlKey || e.metaKey || !selection.isEmpty)
      selection.toggle(gaid, index)
    else onOpen(gaid)
    e.preventDefault()
  }

  return (
    <div
      ref={box}
      className={css.box}
      role="grid"
      aria-label={t.assets}
      aria-multiselectable
      aria-rowcount={layout.rows}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div className={css.content} style={{ height: rows.getTotalSize() }} role="rowgroup">
        {shown.map(row => {
          const start = layout.first[row.index] ?? 0
          const end = layout.first[row.index + 1] ?? start
          const height = layout.heights[row.index] ?? 0
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: as the grid itself; its cells take the focus
            <div
              key={row.key}
              role="row"
              aria-rowindex={row.index + 1}
              className={css.row}
              style={{ transform: `translateY(${row.start}px)`, height }}
            >
              {Array.from({ length: end - start }, (_, i) => start + i).map(index => (
                <Cell
                  key={index}
                  index={index}
                  asset={list.at(index)}
                  width={(list.ratios[index] ?? 1) * height}
                  href={href}
                  isCurrent={index === focused}
                  onClick={onClick}
                />
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}
