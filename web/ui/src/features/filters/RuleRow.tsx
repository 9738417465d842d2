import { Trash2 } from 'lucide-react'
import { IconButton } from '~/components/button/Button'
import { Select } from '~/components/field/Select'
import { useTexts } from '~/text/context'
import css from './Builder.module.css'
import { useOperatorWords } from './describe'
import { type FilterField, type Operator, operators, shapeOf } from './fields'
import { texts } from './texts'
import { emptyValue, type NodeProps, newRule, type Rule, usesIn, usesOf } from './tree'
import { useFields } from './useFields'
import { Value } from './Value'

/** One rule: a field, an operator and a value. */
export function RuleRow({ rule, path, number, errors, onChange }: NodeProps & { rule: Rule }) {
  const t = useTexts(texts)
  const { fields, field, name } = useFields()
  const word = useOperatorWords()
  const about = field(rule.field)
  const known = fields.includes(about) ? fields : [...fields, about]
  const able = operators(about.kind)
  const listed = able.includes(rule.operator) ? able : [...able, rule.operator]
  const problems = sorted(errors, path)
  return (
    <fieldset className={css.rule}>
      <legend className="visually-hidden">{`${t.rule} ${number}`}</legend>
      <div className={css.field}>
        <Select
          label={t.field}
          hideLabel
          choices={known.map(f => ({ id: f.name, text: name(f) }))}
          value={rule.field}
          errors={problems.field}
          onChange={id => onChange({ ...newRule(field(id)), id: rule.id })}
        />
      </div>
      <div className={css.operator}>
        <Select
          label={t.operator}
          hideLabel
          choices={listed.map(o => ({ id: o, text: word(o, about) }))}
          value={rule.operator}
          errors={problems.operator}
          onChange={o => {
            const { value, days } = usesOf(rule.value)
            onChange({ ...rule, operator: o, value: usesIn(valueFor(o, about, { ...rule, value }), days) })
          }}
        />
      </div>
      <div className={css.value}>
        <Value
          field={about}
          rule={rule}
          errors={problems.value}
          daysErrors={problems['value.days']}
          onChange={value => onChange({ ...rule, value })}
        />
      </div>
      <div className={css.remove}>
        <IconButton label={`${t.removeRule} ${number}`} onPress={() => onChange(null)}>
          <Trash2 />
        </IconButton>
      </div>
    </fieldset>
  )
}

/** The value is kept if the new operator takes the same kind. */
function valueFor(operator: Operator, about: FilterField, rule: Rule): unknown {
  const [before, after] = [shapeOf(rule.operator, about.kind), shapeOf(operator, about.kind)]
  if (before === after) return rule.value
  if (before === 'one' && after === 'many' && rule.value !== '' && rule.value !== undefined)
    return [rule.value]
  if (before === 'many' && after === 'one' && Array.isArray(rule.value) && rule.value.length > 0) {
    return rule.value[0]
  }
  return emptyValue(operator, about)
}

/** The errors of each part of a rule; those of other parts are shown at the value. */
function sorted(errors: Record<string, string[]>, path: string) {
  const of = {
    field: [] as string[],
    operator: [] as string[],
    value: [] as string[],
    'value.days': [] as string[],
  }
  for (const [at, messages] of Object.entries(errors)) {
    if (at !== path && !at.startsWith(`${path}.`)) continue
    const part = at.slice(path.length + 1)
    of[part in of ? (part as keyof typeof of) : 'value'].push(...messages)
  }
  return of
}
