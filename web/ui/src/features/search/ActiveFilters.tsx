import { Pencil, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Tag, Button as TagButton, TagGroup, TagList } from 'react-aria-components'
import { Button } from '~/components/button/Button'
import type { AssetQuery } from '~/features/assets/query'
import { useRuleText } from '~/features/filters/describe'
import { narrowed, without } from '~/features/filters/narrow'
import {
  countRules,
  type Group,
  type Node,
  type Rule,
  readFilter,
  writeFilter,
} from '~/features/filters/tree'
import { useFormat, useTexts } from '~/text/context'
import css from './ActiveFilters.module.css'
import { texts } from './texts'

const EditRules = lazy(() => import('./EditRules'))

interface ActiveFiltersProps {
  query: AssetQuery
  onChange: (changes: Partial<AssetQuery>) => void
}

/** What a list is narrowed by, each to be taken away, and the way to the builder. */
export function ActiveFilters({ query, onChange }: ActiveFiltersProps) {
  const t = useTexts(texts)
  const [isEditing, setEditing] = useState(false)
  const group = readFilter(query.filters)
  const top = group && narrowed(group)
  if (!query.filters && !isEditing) return null
  return (
    <div className={css.bar}>
      {top ? (
        <TagGroup
          aria-label={t.activeFilters}
          className={css.tags}
          onRemove={keys => {
            const left = [...keys].reduce((g, id) => without(g, Number(id)), top)
            onChange({ filters: writeFilter(left) })
          }}
        >
          <TagList className={css.tags} items={top.rules} dependencies={[query.filters]}>
            {n => (
              <Tag id={n.id} textValue={n.kind === 'rule' ? n.field : t.rules} className={css.tag}>
                <span className={css.text}>
                  <NodeText node={n} />
                </span>
                <TagButton slot="remove" className={css.remove}>
                  <X size={14} />
                </TagButton>
              </Tag>
            )}
          </TagList>
        </TagGroup>
      ) : (
        query.filters && <span>{t.unknownFilter}</span>
      )}
      <Button look="quiet" className={css.button} onPress={() => setEditing(true)}>
        <Pencil /> {t.editRules}
      </Button>
      <Button look="quiet" className={css.button} onPress={() => onChange({ filters: '' })}>
        {t.clearFilters}
      </Button>
      {isEditing && (
        <Suspense>
          <EditRules query={query} onChange={onChange} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </div>
  )
}

function NodeText({ node }: { node: Node }) {
  return node.kind === 'rule' ? <RuleText rule={node} /> : <GroupText group={node} />
}

export function RuleText({ rule }: { rule: Rule }) {
  return useRuleText(rule)
}

function GroupText({ group }: { group: Group }) {
  const t = useTexts(texts)
  const format = useFormat()
  const n = format.number(countRules(group))
  return group.any ? t.anyOf(n) : t.allOf(n)
}
