import type { ReactNode } from 'react'
import css from './Table.module.css'

interface Column<T> {
  /** The heading; empty for a column of buttons. */
  head: string
  cell: (row: T) => ReactNode
  end?: boolean
  /** Short, and not wrapped. */
  short?: boolean
}

interface TableProps<T> {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  id: (row: T) => string | number
  /** Contains no controls, so the table itself must be focusable for scrolling by keyboard. */
  isPlain?: boolean
}

/** A table with columns; wide ones scroll sideways on a phone. */
export function Table<T>({ label, columns, rows, id, isPlain = false }: TableProps<T>) {
  return (
    <div className={css.scroll} {...(isPlain && { role: 'group', 'aria-label': label, tabIndex: 0 })}>
      <table className={css.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(c => (
              <th key={c.head} scope="col" className={c.end ? css.end : undefined}>
                {c.head || <span className="visually-hidden">…</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={id(row)}>
              {columns.map(c => (
                <td
                  key={c.head}
                  className={[c.end && css.end, c.short && css.short].filter(Boolean).join(' ')}
                >
                  {c.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
