import { Activity } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { Select } from '~/components/field/Select'
import { Paged } from '~/components/pager/Paged'
import { Empty } from '~/components/state/Empty'
import { useTexts } from '~/text/context'
import { Entry } from './Entry'
import css from './List.module.css'
import { texts } from './listTexts'
import { type OperationFilter, useOperationList } from './pages'
import { useKind } from './useKind'

const states = ['running', 'pending', 'completed', 'completed_with_errors', 'failed', 'cancelled'] as const
const types = ['bulk_update', 'bulk_delete', 'metadata_import', 'export', 'ai_analysis'] as const

/** All visible operations, by state and type. */
export function Operations() {
  const t = useTexts(texts)
  const kind = useKind()
  const [params, setParams] = useSearchParams()
  const filter: OperationFilter = {
    state: states.find(s => s === params.get('state')) ?? '',
    type: types.find(k => k === params.get('type')) ?? '',
  }
  const page = Math.max(1, Number(params.get('page')) || 1)
  const set = (name: string, value: string) =>
    setParams(old => {
      if (name !== 'page') old.delete('page')
      if (value) old.set(name, value)
      else old.delete(name)
      return old
    })
  const list = useOperationList(filter, page)
  const filtered = filter.state !== '' || filter.type !== ''
  return (
    <>
      <div className={css.filters}>
        <Select
          label={t.state}
          choices={[{ id: '', text: t.any }, ...states.map(id => ({ id, text: t.states[id] ?? id }))]}
          value={filter.state}
          onChange={v => set('state', v)}
        />
        <Select
          label={t.type}
          choices={[{ id: '', text: t.any }, ...types.map(id => ({ id, text: kind(id) }))]}
          value={filter.type}
          onChange={v => set('type', v)}
        />
      </div>
      <Paged
        list={list}
        loading={t.loading}
        empty={
          <Empty icon={<Activity />} title={filtered ? t.noneOfThese : t.none}>
            {!filtered && <p>{t.noneHelp}</p>}
          </Empty>
        }
        page={page}
        onPage={p => set('page', String(p))}
      >
        {rows => (
          <ul className={css.list} aria-label={t.operations}>
            {rows.map(o => (
              <Entry key={o.id} operation={o} />
            ))}
          </ul>
        )}
      </Paged>
    </>
  )
}
