import { useState } from 'react'
import { ColourField } from '~/components/field/ColourField'
import { DateField } from '~/components/field/DateFields'
import { Picker } from '~/components/field/Picker'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import css from './Builder.module.css'
import { useWords } from './describe'
import { type FilterField, shapeOf } from './fields'
import { useChoices, useNames } from './names'
import { texts } from './texts'
import { type Rule, usesIn, usesOf } from './tree'
import { useLater } from './trial'

interface ValueProps {
  field: FilterField
  rule: Rule
  errors: string[]
  onChange: (value: unknown) => void
}

/** The value of a rule, with the input for its field and operator. */
export function Value({ field, rule, errors, daysErrors, onChange }: ValueProps & { daysErrors: string[] }) {
  const t = useTexts(texts)
  if (field.kind === 'uses') {
    const { value, days } = usesOf(rule.value)
    return (
      <div className={css.many}>
        <Plain
          field={field}
          rule={{ ...rule, value }}
          errors={errors}
          onChange={v => onChange(usesIn(v, days))}
        />
        <NumberText
          label={t.inLastDays}
          isLabelled
          placeholder={t.allTime}
          value={days === undefined ? '' : String(days)}
          errors={daysErrors}
          onChange={n => onChange(usesIn(value, n))}
        />
      </div>
    )
  }
  return <Plain field={field} rule={rule} errors={errors} onChange={onChange} />
}

/** The value of a rule without its period. */
function Plain({ field, rule, errors, onChange }: ValueProps) {
  const t = useTexts(texts)
  switch (shapeOf(rule.operator, field.kind)) {
    case 'none':
      return null
    case 'two': {
      const [from, to] = Array.isArray(rule.value) ? rule.value : ['', '']
      return (
        <span className={css.two}>
          <One field={field} label={t.from} value={from} errors={errors} onChange={v => onChange([v, to])} />
          <One field={field} label={t.to} value={to} errors={[]} onChange={v => onChange([from, v])} />
        </span>
      )
    }
    case 'many':
      return <Many field={field} value={rule.value} errors={errors} onChange={onChange} />
  }
  if (field.kind === 'colors') {
    const near = rule.operator === 'color_near'
    return (
      <ColourField
        label={t.value}
        value={rule.value}
        hasDistance={near}
        errors={errors}
        onChange={onChange}
      />
    )
  }
  return <One field={field} label={t.value} value={rule.value} errors={errors} onChange={onChange} />
}

interface PartProps {
  field: FilterField
  value: unknown
  errors: string[]
  onChange: (value: unknown) => void
}

function One({ field, label, value, errors, onChange }: PartProps & { label: string }) {
  const t = useTexts(texts)
  const word = useWords()
  const text = value === null || value === undefined ? '' : String(value)
  switch (field.kind) {
    case 'ids':
    case 'terms':
    case 'classes':
    case 'format':
      return (
        <Named
          field={field}
          values={text ? [value] : []}
          errors={errors}
          onChange={v => onChange(v.at(-1))}
        />
      )
    case 'date':
      return <DateField label={label} hideLabel value={text} errors={errors} onChange={onChange} />
    case 'enum':
    case 'flag':
    case 'boolean': {
      const ids = field.kind === 'enum' ? (field.words ?? []) : ['true', 'false']
      const choices = ids.map(id => ({
        id,
        text: field.kind === 'enum' ? word(id) : id === 'true' ? t.yes : t.no,
      }))
      const read = (id: string) => onChange(field.kind === 'enum' ? id : id === 'true')
      const chosen = ids.find(id => id.toLowerCase() === text.toLowerCase()) ?? null
      return (
        <Select label={label} hideLabel choices={choices} value={chosen} errors={errors} onChange={read} />
      )
    }
    case 'number':
    case 'users':
    case 'uses':
      return <NumberText label={label} value={text} errors={errors} onChange={onChange} />
  }
  return <TextField label={label} hideLabel value={text} errors={errors} onChange={onChange} />
}

/** A number as typed; an incomplete one is kept as text, for the server to validate. */
function NumberText(props: {
  label: string
  isLabelled?: boolean
  placeholder?: string
  value: string
  errors: string[]
  onChange: (v: unknown) => void
}) {
  const [text, setText] = useState(props.value)
  const isSame = numberOf(text) === numberOf(props.value)
  return (
    <TextField
      label={props.label}
      hideLabel={!props.isLabelled}
      {...(props.placeholder && { placeholder: props.placeholder })}
      inputMode="decimal"
      value={isSame ? text : props.value}
      errors={props.errors}
      onChange={v => {
        setText(v)
        props.onChange(numberOf(v))
      }}
    />
  )
}

function numberOf(text: string): number | string {
  const plain = text.trim().replace(',', '.')
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? Number(plain) : plain
}

function Many({ field, value, errors, onChange }: PartProps) {
  const items = Array.isArray(value)
    ? value
    : value === null || value === undefined || value === ''
      ? []
      : [value]
  return <Named field={field} values={items} errors={errors} onChange={onChange} />
}

/** Several values of a field, shown by name. */
function Named({
  field,
  values,
  errors,
  onChange,
}: {
  field: FilterField
  values: unknown[]
  errors: string[]
  onChange: (values: unknown[]) => void
}) {
  const t = useTexts(texts)
  const word = useWords()
  const [text, setText] = useState('')
  const later = useLater(text)
  const found = useChoices(field, later)
  const named = useNames(field, values)
  const part = text.toLowerCase()
  const choices = field.words
    ? field.words.map(id => ({ id, text: word(id) })).filter(c => c.text.toLowerCase().includes(part))
    : found
  const isShares = field.kind === 'shares'
  const isNumber = ['number', 'ids', 'tree', 'classes', 'users', 'uses'].includes(field.kind) || isShares
  const fromList = ['ids', 'tree', 'classes', 'terms', 'enum'].includes(field.kind) || isShares
  if (field.kind === 'date') {
    return <Dates values={values.map(String)} errors={errors} onChange={onChange} />
  }
  return (
    <Picker
      label={t.value}
      hideLabel
      values={values.map(v => ({ id: String(v), text: field.words ? word(String(v)) : named(v) }))}
      onChange={ids => onChange(ids.map(id => kept(values, id) ?? (isNumber ? numberOf(id) : id)))}
      choices={choices}
      onSearch={setText}
      allowsNew={!fromList}
      type={isNumber && !fromList ? 'number' : 'text'}
      errors={errors}
    />
  )
}

/** A value that was already present keeps its form in the document. */
function kept(values: unknown[], id: string): unknown {
  return values.find(v => String(v) === id)
}

function Dates({
  values,
  errors,
  onChange,
}: {
  values: string[]
  errors: string[]
  onChange: (v: unknown[]) => void
}) {
  const t = useTexts(texts)
  const shown = [...values, '']
  return (
    <div className={css.many}>
      {shown.map((v, i) => (
        <DateField
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a date is known by
          key={i}
          label={t.value}
          hideLabel
          value={v}
          errors={i === 0 ? errors : []}
          onChange={day => onChange(shown.map((old, j) => (j === i ? day : old)).filter(Boolean))}
        />
      ))}
    </div>
  )
}
