// biome-ignore-all lint/a11y/useFocusableInteractive: the row's link and the buttons take the focus
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { useTexts } from '~/text/context'
import { type Column, narrowest, titleColumn, type useChosenColumns } from './columns'
import type { AssetSource } from './query'
import { useSort, usualDirection } from './sort'
import css from './Table.module.css'
import { texts } from './texts'

interface TableHeadProps {
  source: AssetSource
  columns: readonly Column[]
  /** The available columns. */
  all: readonly Column[]
  chosen: ReturnType<typeof useChosenColumns>
  template: string
}

const step = 16 // pixels per key press when a column is resized

/** The header of a table: sorts by columns, resizes them, and selects the visible ones. */
export function TableHead({ source, columns, all, chosen, template }: TableHeadProps) {
  const t = useTexts(texts)
  const sort = useSort(source)
  const selected = new Set(chosen.ids)
  return (
    <div role="row" aria-rowindex={1} className={css.head} style={{ gridTemplateColumns: template }}>
      <div role="columnheader" className={css.headCell}>
        <span className="visually-hidden">{t.selection}</span>
      </div>
      {columns.map(c => {
        const sorted = c.sort !== undefined && c.sort === sort.by
        const rising = sort.direction === 'asc'
        return (
          <div
            key={c.id}
            role="columnheader"
            className={c.end ? `${css.headCell} ${css.end}` : css.headCell}
            aria-sort={sorted ? (rising ? 'ascending' : 'descending') : undefined}
          >
            {c.sort ? (
              <button
                type="button"
                className={css.sort}
                onClick={() => {
                  if (!c.sort) return
                  if (sorted) sort.choose(c.sort, rising ? 'desc' : 'asc')
                  else sort.choose(c.sort, usualDirection(c.sort))
                }}
              >
                <span className={css.text}>{c.head}</span>
                {sorted && (rising ? <ArrowUp aria-hidden /> : <ArrowDown aria-hidden />)}
              </button>
            ) : (
              <span className={css.text}>{c.head}</span>
            )}
            <Resizer
              label={t.widthOf(c.head)}
              width={chosen.widthOf(c.id, c.width)}
              onResize={w => chosen.resize(c.id, w)}
            />
          </div>
        )
      })}
      <div role="columnheader" className={css.choose}>
        <Menu
          label={t.chooseColumns}
          button={
            <IconButton label={t.chooseColumns}>
              <Columns3 />
            </IconButton>
          }
          selectionMode="multiple"
          selectedKeys={selected}
          onSelectionChange={keys => {
            if (keys === 'all') return
            chosen.choose(all.filter(c => keys.has(c.id)).map(c => c.id))
          }}
        >
          {all
            .filter(c => c.id !== titleColumn)
            .map(c => (
              <MenuItem key={c.id} id={c.id}>
                {c.head}
              </MenuItem>
            ))}
        </Menu>
      </div>
    </div>
  )
}

/** The handle at the end of a column that resizes it. */
function Resizer({
  label,
  width,
  onResize,
}: {
  label: string
  width: number
  onResize: (w: number) => void
}) {
  const start = useRef<{ x: number; width: number } | null>(null)
  // A column can be wider than its set width if there is room.
  const shown = (e: { currentTarget: Element }) =>
    e.currentTarget.parentElement?.getBoundingClientRect().width ?? width
  const onKeyDown = (e: KeyboardEvent) => {
    const by = e.key === 'ArrowRight' ? step : e.key === 'ArrowLeft' ? -step : 0
    if (by === 0) return
    e.preventDefault()
    e.stopPropagation()
    onResize(shown(e) + by)
  }
  const onPointerDown = (e: PointerEvent) => {
    e.stopPropagation()
    e.currentTarget.setPointerCapture(e.pointerId)
    start.current = { x: e.clientX, width: shown(e) }
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={narrowest}
      aria-valuenow={width}
      tabIndex={0}
      className={css.resizer}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={e => start.current && onResize(start.current.width + e.clientX - start.current.x)}
      onPointerUp={() => {
        start.current = null
      }}
    />
  )
}
