import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '~/components/button/Button'
import { Select } from '~/components/field/Select'
import { useTexts } from '~/text/context'
import css from './Builder.module.css'
import { type FilterField, type Operator, operators } from './fields'
import { texts } from './texts'
import { emptyValue, type Group, type Node, newGroup, newRule, type Rule, replaced } from './tree'
import { useFields } from './useFields'
import { Value } from './Value'

const deepest = 5 // groups in groups that people can make here; the interface takes ten

interface BuilderProps {
  value: Group
  onChange: (group: Group) => void
  /** What the server found wrong, by the path of the rule: filters.rules.0.value. */
  errors?: Record<string, string[]>
  /** Where the document stands in those paths. */
  path?: string
}

/** A filter document to be put together by hand. */
export function Builder({ value, onChange, errors = {}, path = 'filters' }: BuilderProps) {
  return (
    <GroupRows group={value} path={path} depth={0} errors={errors} onChange={g => onChange(g as Group)} />
  )
}

interface NodeProps {
  path: string
  errors: Record<string, string[]>
  onChange: (node: Node | null) => void
}

function GroupRows({ group, path, depth, errors, onChange }: NodeProps & { group: Group; depth: number }) {
  const t = useTexts(texts)
  const { fields } = useFields()
  const first = fields[1]
  return (
    <fieldset className={depth > 0 ? css.inner : css.group}>
      <legend className="visually-hidden">{t.group}</legend>
      <div className={css.head}>
        <Select
          label={t.match}
          hideLabel
          choices={[
            { id: 'all', text: t.all },
            { id: 'any', text: t.any },
          ]}
          value={group.any ? 'any' : 'all'}
          onChange={v => onChange({ ...group, any: v === 'any' })}
        />
        {depth > 0 && (
          <IconButton label={t.remove} onPress={() => onChange(null)}>
            <Trash2 />
          </IconButton>
        )}
      </div>
      {group.rules.map((n, i) => {
        const props = {
          path: `${path}.rules.${i}`,
          errors,
          onChange: (by: Node | null) => onChange(replaced(group, n.id, by)),
        }
        return n.kind === 'group' ? (
          <GroupRows key={n.id} group={n} depth={depth + 1} {...props} />
        ) : (
          <RuleRow key={n.id} rule={n} {...props} />
        )
      })}
      <div className={css.add}>
        <Button
          look="quiet"
          onPress={() => first && onChange({ ...group, rules: [...group.rules, newRule(first)] })}
        >
          <Plus /> {t.addRule}
        </Button>
        {depth + 1 < deepest && (
          <Button
            look="quiet"
            onPress={() =>
              onChange({
                ...group,
                rules: [...group.rules, newGroup(!group.any, first ? [newRule(first)] : [])],
              })
            }
          >
            <Plus /> {t.addGroup}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

function RuleRow({ rule, path, errors, onChange }: NodeProps & { rule: Rule }) {
  const t = useTexts(texts)
  const { fields, field } = useFields()
  const about = field(rule.field)
  const name = (f: FilterField) => f.label ?? t.fields[f.name] ?? f.name
  const word = (o: Operator) =>
    (about.kind === 'date' && t.dateOperators[o]) ||
    ((about.kind === 'set' || about.kind === 'ids') && t.setOperators[o]) ||
    t.operators[o] ||
    o
  return (
    <div className={css.rule}>
      <Select
        label={t.field}
        hideLabel
        choices={fields.map(f => ({ id: f.name, text: name(f) }))}
        value={rule.field}
        errors={errors[`${path}.field`] ?? []}
        onChange={id => onChange({ ...newRule(field(id)), id: rule.id })}
      />
      <Select
        label={t.operator}
        hideLabel
        choices={operators(about.kind).map(o => ({ id: o, text: word(o) }))}
        value={rule.operator}
        errors={errors[`${path}.operator`] ?? []}
        onChange={operator => onChange({ ...rule, operator, value: emptyValue(operator, about) })}
      />
      <Value
        field={about}
        rule={rule}
        errors={errors[`${path}.value`] ?? errors[path] ?? []}
        onChange={value => onChange({ ...rule, value })}
      />
      <IconButton label={t.remove} onPress={() => onChange(null)}>
        <Trash2 />
      </IconButton>
    </div>
  )
}
