import { useMemo, useRef } from 'react'
import { useTexts } from '~/text/context'
import { type Column, titleColumn, useChosenColumns, useColumns } from './columns'
import type { ViewProps } from './Grid'
import { rowGeometry } from './geometry'
import { useLoaded } from './list'
import { Missing } from './Missing'
import { movesDown } from './move'
import css from './Table.module.css'
import { TableHead } from './TableHead'
import { TableRow } from './TableRow'
import { texts } from './texts'
import { useCells } from './useCells'
import { usePointer } from './usePointer'
import { useRows } from './useRows'

const rowHeight = 48 // pixels, as in Table.module.css
const headHeight = 40
const checkWidth = 44

/** A virtualized table of a list, with the chosen columns. */
export function Table({ list, place, open, href, onOpen }: ViewProps) {
  const t = useTexts(texts)
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const all = useColumns()
  const chosen = useChosenColumns()
  const columns = useMemo<Column[]>(() => {
    const title: Column = { id: titleColumn, head: t.title, width: 240, sort: 'title', text: a => a.title }
    return [title, ...chosen.ids.flatMap(id => all.find(c => c.id === id) ?? [])]
  }, [t, all, chosen.ids])
  const widths = columns.map(c => chosen.widthOf(c.id, c.width))
  const fixed = [checkWidth, ...widths, checkWidth].map(w => `${w}px`)
  // The title column takes the remaining width, unless its width was chosen.
  if (!chosen.isChosen(titleColumn)) fixed[1] = `minmax(${widths[0]}px, 1fr)`
  const template = fixed.join(' ')
  const width = widths.reduce((sum, w) => sum + w, checkWidth * 2)

  const geometry = useMemo(() => rowGeometry(list.total, rowHeight), [list.total])
  const move = useMemo(() => movesDown(list.total), [list.total])
  const { rows, shown, reveal, from, to } = useRows({
    box,
    list,
    geometry,
    place,
    above: headHeight,
    covered: headHeight,
  })
  const { error, retry } = useLoaded(list, from, to)
  const { focused, onFocus, onKeyDown, onClick } = useCells({
    box,
    list,
    open,
    move,
    rowsInView: () =>
      Math.max(1, Math.floor(((box.current?.clientHeight ?? 0) - headHeight) / rowHeight) - 1),
    scrollTo: item => rows.scrollToIndex(item, { align: 'auto' }),
    reveal,
    onOpen,
  })
  const { band, handlers } = usePointer({ box, content, list, geometry })
  return (
    <div ref={box} className={css.box}>
      <div
        className={css.table}
        style={{ minWidth: width }}
        role="grid"
        aria-label={t.assets}
        aria-multiselectable
        aria-rowcount={list.total + 1}
        aria-colcount={columns.length + 1}
        tabIndex={-1}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        {...handlers}
      >
        <TableHead source={list.source} columns={columns} all={all} chosen={chosen} template={template} />
        <div ref={content} className={css.content} role="rowgroup" style={{ height: rows.getTotalSize() }}>
          {shown.map(row => (
            <TableRow
              key={row.key}
              index={row.index}
              top={row.start - headHeight}
              asset={list.at(row.index)}
              columns={columns}
              template={template}
              href={href}
              isCurrent={row.index === focused}
              onClick={onClick}
            />
          ))}
          {band && <div className={css.band} style={band} />}
        </div>
      </div>
      {error && <Missing message={error.message} onRetry={retry} />}
    </div>
  )
}
