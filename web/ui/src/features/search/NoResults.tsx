import { useQueries } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { api, data } from '~/api/client'
import { Empty } from '~/components/state/Empty'
import { type AssetQuery, queryText, textOf } from '~/features/assets/query'
import { useRuleText } from '~/features/filters/describe'
import { narrowed, without } from '~/features/filters/narrow'
import { type Node, readFilter, writeFilter } from '~/features/filters/tree'
import { useFormat, useTexts } from '~/text/context'
import css from './Notes.module.css'
import { texts } from './texts'

const mostWays = 8

interface Way {
  id: string
  text: ReactNode
  query: AssetQuery
  inTrash?: boolean
}

/** Replaces an empty result: suggests parts of the query to remove, with the number of assets found then. */
export function NoResults({ query }: { query: AssetQuery }) {
  const t = useTexts(texts)
  const format = useFormat()
  const ways = useWays(query)
  const counts = useQueries({
    queries: ways.map(w => ({
      queryKey: ['way-out', textOf(w.query), w.query.filters, w.inTrash],
      retry: false,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { filters } = w.query
        const words = { ...textOf(w.query), ...(filters && { filters }), ...(w.inTrash && trash) }
        return (
          await data(api.GET('/api/v1/assets', { params: { query: { ...words, per_page: 1 } }, signal }))
        ).meta.total
      },
    })),
  })
  const open = ways
    .map((w, i) => ({ ...w, count: counts[i]?.data ?? 0 }))
    .filter(w => w.count > 0)
    .sort((a, b) => Number(a.inTrash ?? false) - Number(b.inTrash ?? false))
  return (
    <Empty icon={<SearchX />} title={t.none}>
      <p>{query.filters ? t.noneFiltered : t.noneHelp}</p>
      {open.length > 0 && (
        <>
          <p>{t.ways}</p>
          <ul className={css.ways}>
            {open.map(w => (
              <li key={w.id}>
                <Link to={`${w.inTrash ? '/trash' : '/'}${queryText(w.query)}`} className={css.way}>
                  {w.text} <span className={css.count}>{format.number(w.count)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </Empty>
  )
}

const trash = { trashed: 'only' } as const

/** Less restrictive searches. */
function useWays(query: AssetQuery): Way[] {
  const t = useTexts(texts)
  const { q, filters, ...rest } = query
  const group = readFilter(filters)
  const top = group && narrowed(group)
  const ways: Way[] = []
  if (top && top.rules.length > 1) {
    for (const n of top.rules.slice(0, mostWays)) {
      const left = { ...query, filters: writeFilter(without(top, n.id)) }
      ways.push({ id: `rule ${n.id}`, text: <Without node={n} />, query: left })
    }
  }
  if (q && filters) {
    ways.push({ id: 'filters', text: t.withoutFilters, query: { ...rest, q } })
    ways.push({ id: 'words', text: t.withoutWords, query: { ...rest, filters } })
  }
  if (q && query.meaning) {
    const { meaning: _, ...whole } = query
    ways.push({ id: 'meaning', text: t.withMeaning, query: whole })
  }
  const plain = q ? plainly(q) : ''
  if (plain && plain !== q) ways.push({ id: 'plain', text: t.plainly(plain), query: { ...query, q: plain } })
  ways.push({ id: 'trash', text: t.inTrash, query, inTrash: true })
  return ways
}

/** A search without its phrases, exclusions and fields. */
function plainly(q: string): string {
  return q
    .replace(/(^|\s)-(?:"[^"]*"|\S+)/g, ' ')
    .replace(/(^|\s)\p{L}[\p{L}\p{N}_.-]*:(?=[^\s/:])/gu, '$1')
    .replace(/"/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function Without({ node }: { node: Node }) {
  return node.kind === 'rule' ? <WithoutRule rule={node} /> : <WithoutGroup />
}

function WithoutRule({ rule }: { rule: Extract<Node, { kind: 'rule' }> }) {
  const t = useTexts(texts)
  return t.withoutRule(useRuleText(rule))
}

function WithoutGroup() {
  const t = useTexts(texts)
  return t.withoutRule(t.rules)
}
