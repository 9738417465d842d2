import { Pencil, X } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { Button } from '~/components/button/Button'
import type { AssetQuery } from '~/features/assets/query'
import { useRuleText } from '~/features/filters/describe'
import { narrowed, without } from '~/features/filters/narrow'
import { countRules, type Group, type Rule, readFilter, writeFilter } from '~/features/filters/tree'
import { useFormat, useTexts } from '~/text/context'
import css from './ActiveFilters.module.css'
import { texts } from './texts'

const EditRules = lazy(() => import('./EditRules'))

interface ActiveFiltersProps {
  query: AssetQuery
  onChange: (changes: Partial<AssetQuery>) => void
}

/** The active filters of a list, each with a button to remove it, and a button that opens the builder. */
export function ActiveFilters({ query, onChange }: ActiveFiltersProps) {
  const t = useTexts(texts)
  const [isEditing, setEditing] = useState(false)
  const group = readFilter(query.filters)
  const top = group && narrowed(group)
  if (!query.filters && !isEditing) return null
  return (
    <div className={css.bar}>
      {top ? (
        <ul aria-label={t.activeFilters} className={css.tags}>
          {top.rules.map(n => {
            const remove = () => onChange({ filters: writeFilter(without(top, n.id)) })
            return n.kind === 'rule' ? (
              <RuleChip key={n.id} rule={n} onRemove={remove} />
            ) : (
              <GroupChip key={n.id} group={n} onRemove={remove} />
            )
          })}
        </ul>
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

function RuleChip({ rule, onRemove }: { rule: Rule; onRemove: () => void }) {
  return <Chip text={useRuleText(rule)} onRemove={onRemove} />
}

function GroupChip({ group, onRemove }: { group: Group; onRemove: () => void }) {
  const t = useTexts(texts)
  const format = useFormat()
  const n = format.number(countRules(group))
  const text = group.not ? t.noneOf(n) : group.any ? t.anyOf(n) : t.allOf(n)
  return <Chip text={text} onRemove={onRemove} />
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  const t = useTexts(texts)
  const item = useRef<HTMLLIElement>(null)
  return (
    <li ref={item} className={css.tag}>
      <span className={css.text}>{text}</span>
      <AriaButton
        className={css.remove}
        aria-label={t.removeFilter(text)}
        onPress={() => {
          const next = item.current?.nextElementSibling ?? item.current?.previousElementSibling
          next?.querySelector('button')?.focus() // the focus would be lost with the chip
          onRemove()
        }}
      >
        <X size={14} />
      </AriaButton>
    </li>
  )
}
