import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, api, data } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Notice } from '~/components/state/Notice'
import type { AssetQuery } from '~/features/assets/query'
import { Builder } from '~/features/filters/Builder'
import { texts as filterTexts } from '~/features/filters/texts'
import { type Group, newGroup, readFilter, replaced, writeFilter } from '~/features/filters/tree'
import { useFormat, useTexts } from '~/text/context'
import css from './Panel.module.css'
import { texts } from './texts'

/** What is counted beside the results, and the field of a rule for one of its values. */
const facets = [
  ['keywords', 'asset.keywords'],
  ['collections', 'asset.collections'],
  ['file_category', 'asset.file_category'],
  ['workflow_status', 'asset.workflow_status'],
  ['creator', 'asset.creator'],
  ['extension', 'asset.extension'],
] as const
const shownValues = 8

interface PanelProps {
  query: AssetQuery
  onChange: (changes: Partial<AssetQuery>) => void
}

/** What narrows a result down: counts to click on, and any rule of the filter language. */
export function Panel({ query, onChange }: PanelProps) {
  const t = useTexts(texts)
  const f = useTexts(filterTexts)
  const [draft, setDraft] = useState<Group>(() => readFilter(query.filters) ?? newGroup(false))
  useEffect(() => setDraft(readFilter(query.filters) ?? newGroup(false)), [query.filters])
  const written = writeFilter(draft)
  const changed = written !== (query.filters ?? '')
  // What the server thinks of it, before it is applied.
  const trial = useQuery({
    queryKey: ['filter-trial', query.q, written],
    enabled: changed && written !== '',
    retry: false,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/assets', {
          params: { query: { ...(query.q && { q: query.q }), filters: written, per_page: 1 } },
          signal,
        }),
      ),
  })
  const errors = trial.error instanceof ApiError ? trial.error.fields : {}
  return (
    <aside className={css.panel} aria-label={f.filters}>
      <Facets
        query={query}
        onPick={(field, value) => onChange({ filters: withValue(query.filters, field, value) })}
      />
      <section className={css.rules}>
        <h2>{t.rules}</h2>
        {query.filters && !readFilter(query.filters) && <Notice kind="info">{f.unreadable}</Notice>}
        <Builder value={draft} onChange={setDraft} errors={errors} />
        {changed && (
          <Button
            look="primary"
            isDisabled={trial.error !== null}
            onPress={() => onChange({ filters: written })}
          >
            {trial.data ? t.showResults(trial.data.meta.total) : f.apply}
          </Button>
        )}
        {query.filters && (
          <Button look="quiet" onPress={() => onChange({ filters: '' })}>
            {f.clear}
          </Button>
        )}
      </section>
    </aside>
  )
}

/** A filter document that also asks for a value of a set or a field. */
function withValue(filters: string | undefined, field: string, value: unknown): string {
  const group = readFilter(filters) ?? newGroup(false)
  const top = group.any ? newGroup(false, [group]) : group
  const there = top.rules.find(r => r.kind === 'rule' && r.field === field && r.operator === 'in')
  if (there?.kind === 'rule' && Array.isArray(there.value)) {
    return writeFilter(replaced(top, there.id, { ...there, value: [...new Set([...there.value, value])] }))
  }
  return writeFilter({
    ...top,
    rules: [...top.rules, { kind: 'rule', id: -1, field, operator: 'in', value: [value] }],
  })
}

function Facets({ query, onPick }: { query: AssetQuery; onPick: (field: string, value: unknown) => void }) {
  const t = useTexts(texts)
  const f = useTexts(filterTexts)
  const format = useFormat()
  const counted = useQuery({
    queryKey: ['facets', query.q, query.filters],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/assets', {
          params: {
            query: {
              ...(query.q && { q: query.q }),
              ...(query.filters && { filters: query.filters }),
              facets: facets.map(([name]) => name).join(','),
              per_page: 1,
            },
          },
          signal,
        }),
      ),
  })
  const values = counted.data?.meta.facets ?? {}
  return (
    <>
      {facets.map(([name, field]) => {
        const list = values[name] ?? []
        if (list.length === 0) return null
        return (
          <details key={name} className={css.facet} open={name !== 'extension'}>
            <summary>{f.fields[field]}</summary>
            <ul>
              {list.slice(0, shownValues).map(v => (
                <li key={String(v.value)}>
                  <button type="button" className={css.value} onClick={() => onPick(field, v.value)}>
                    <span>{v.label ?? String(v.value).replaceAll('_', ' ')}</span>
                    <span className={css.count}>{format.number(v.count)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </details>
        )
      })}
      {counted.data && Object.values(values).every(v => v.length === 0) && (
        <p className={css.none}>{t.nothingToCount}</p>
      )}
    </>
  )
}
