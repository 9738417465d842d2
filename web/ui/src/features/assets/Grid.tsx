import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTexts } from '~/text/context'
import { Cell } from './Cell'
import css from './Grid.module.css'
import { gridGeometry } from './geometry'
import { Heading } from './Heading'
import { justify, type Layout } from './justified'
import { type LoadedList, useLoaded } from './list'
import { Missing } from './Missing'
import { movesIn } from './move'
import type { KeptPlace } from './place'
import { Scrubber } from './Scrubber'
import { texts } from './texts'
import { useCells } from './useCells'
import { usePointer } from './usePointer'
import { useRows } from './useRows'

const gap = 4 // pixels, as in Grid.module.css
const edge = 8 // pixels, also beside the rows
const heading = 44 // pixels, as in Heading.module.css
const targets = { narrow: 120, wide: 220 } // row heights in pixels
const narrow = 700 // pixels

export interface ViewProps {
  list: LoadedList
  place: KeptPlace
  /** The asset open above the list. */
  open: string | undefined
  /** The URL of an asset's page. */
  href: (gaid: string) => string
  onOpen: (gaid: string) => void
}

/** A virtualized justified grid of a list. */
export function Grid(props: ViewProps) {
  const box = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const el = box.current
    if (!el) return
    const measure = () => setWidth(el.clientWidth - 2 * edge)
    const observer = new ResizeObserver(measure)
    observer.observe(el)
    measure()
    return () => observer.disconnect()
  }, [])
  const dated = props.list.sections !== null
  return (
    <div ref={frame} className={css.frame}>
      <div ref={box} className={dated ? `${css.box} ${css.scrubbed}` : css.box}>
        {width > 0 && <Rows {...props} box={box} frame={frame} width={width} />}
      </div>
    </div>
  )
}

interface RowsProps extends ViewProps {
  box: RefObject<HTMLDivElement | null>
  /** The area that the box fills, with overlays. */
  frame: RefObject<HTMLDivElement | null>
  width: number
}

function useLayout(list: LoadedList, width: number): Layout {
  return useMemo(() => {
    const target = width < narrow ? targets.narrow : targets.wide
    const measures = { width, target, gap, heading }
    return justify(
      list.ratios,
      measures,
      list.sections?.map(s => s.index),
    )
  }, [list.ratios, list.sections, width])
}

function Rows({ list, place, open, href, onOpen, box, frame, width }: RowsProps) {
  const t = useTexts(texts)
  const content = useRef<HTMLDivElement>(null)
  const layout = useLayout(list, width)
  const geometry = useMemo(() => gridGeometry(layout, list.ratios, gap), [layout, list.ratios])
  const move = useMemo(() => movesIn(layout, list.ratios), [layout, list.ratios])
  const covered = list.sections ? heading : 0
  const { rows, shown, reveal, from, to } = useRows({ box, list, geometry, place, covered })
  const { error, retry } = useLoaded(list, from, to)
  const target = width < narrow ? targets.narrow : targets.wide
  const { focused, onFocus, onKeyDown, onClick } = useCells({
    box,
    list,
    open,
    move,
    rowsInView: () => Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / (target + gap)) - 1),
    scrollTo: item => rows.scrollToIndex(geometry.rowOf(item), { align: 'auto' }),
    reveal,
    onOpen,
  })
  const { band, handlers } = usePointer({ box, content, list, geometry })
  const top = geometry.rowAt((rows.scrollOffset ?? 0) + 1)
  const current = list.sections?.findLast(s => s.index <= geometry.first(top))
  return (
    <>
      {current && (
        <div className={css.sticky}>
          <Heading list={list} section={current} repeated />
        </div>
      )}
      <div className={css.area} {...handlers}>
        <div
          ref={content}
          className={css.content}
          role="grid"
          aria-label={t.assets}
          aria-multiselectable
          aria-rowcount={layout.rows}
          tabIndex={-1}
          style={{ height: rows.getTotalSize() }}
          onFocus={onFocus}
          onKeyDown={onKeyDown}
        >
          {shown.map(row => {
            const start = layout.first[row.index] ?? 0
            const end = layout.first[row.index + 1] ?? start
            const height = layout.heights[row.index] ?? 0
            const section = list.sections?.[layout.sections[row.index] ?? -1]
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: its cells take the focus
              <div
                key={row.key}
                role="row"
                aria-rowindex={row.index + 1}
                className={css.row}
                style={{ transform: `translateY(${row.start}px)`, height }}
              >
                {section && (
                  // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus
                  <div role="rowheader" className={css.header}>
                    <Heading list={list} section={section} />
                  </div>
                )}
                {!section &&
                  Array.from({ length: end - start }, (_, i) => start + i).map(index => (
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
          {band && <div className={css.band} style={band} />}
        </div>
      </div>
      {error && <Missing message={error.message} onRetry={retry} />}
      {list.sections &&
        frame.current &&
        createPortal(<Scrubber sections={list.sections} box={box} geometry={geometry} />, frame.current)}
    </>
  )
}
