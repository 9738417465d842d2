import { useState } from 'react'
import { Link } from 'react-router'
import type { Schemas } from '~/api/client'
import { Select } from '~/components/field/Select'
import { Paged } from '~/components/pager/Paged'
import { Table } from '~/components/table/Table'
import { useFormat, useTexts } from '~/text/context'
import css from './List.module.css'
import { texts } from './listTexts'
import { type ItemState, useOutcomes } from './pages'
import type { Operation } from './queries'

const states = ['done', 'unchanged', 'failed', 'pending'] as const

/** The results of an operation for its assets. */
export function Outcomes({ operation: o }: { operation: Operation }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [state, setState] = useState<ItemState | ''>(o.progress.failed > 0 ? 'failed' : '')
  const [page, setPage] = useState(1)
  const outcomes = useOutcomes(o.id, state, page, o.progress.done + o.progress.failed)
  const lines = {
    head: t.line,
    cell: (row: Schemas['OperationItem']) => row.line !== null && format.number(row.line),
    short: true,
  }
  return (
    <section className={css.section}>
      <h2>{t.outcomes}</h2>
      <div className={css.filters}>
        <Select
          label={t.outcome}
          choices={[
            { id: '' as ItemState | '', text: t.any },
            ...states.map(id => ({ id, text: t.items[id] ?? id })),
          ]}
          value={state}
          onChange={v => {
            setState(v)
            setPage(1)
          }}
        />
      </div>
      <Paged list={outcomes} loading={t.loading} empty={<p>{t.noOutcomes}</p>} page={page} onPage={setPage}>
        {rows => (
          <Table
            label={t.outcomes}
            rows={rows}
            id={row => row.position}
            columns={[
              ...(o.type === 'metadata_import' ? [lines] : []),
              { head: t.asset, cell: row => <Named item={row} /> },
              { head: t.outcome, cell: row => (row.error ? row.error.message : t.items[row.state]) },
            ]}
          />
        )}
      </Paged>
    </section>
  )
}

/** The title of an asset as a link; for a deleted one its GAID. A row of a table may have neither. */
function Named({ item }: { item: Schemas['OperationItem'] }) {
  const t = useTexts(texts)
  if (item.gaid === '') return t.noAsset
  if (item.title === null) return <code className={css.gaid}>{item.gaid}</code>
  return <Link to={`/assets/${item.gaid}`}>{item.title}</Link>
}
