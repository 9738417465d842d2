import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, Label, Tag, TagGroup, TagList } from 'react-aria-components'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { useCollectionsNamed } from '~/features/collections/collections'
import { useTexts } from '~/text/context'
import css from './Builder.module.css'
import { type FilterField, shapeOf } from './fields'
import { texts } from './texts'
import type { Rule } from './tree'

interface ValueProps {
  field: FilterField
  rule: Rule
  errors: string[]
  onChange: (value: unknown) => void
}

/** The value of a rule, written as its field and operator ask for. */
export function Value({ field, rule, errors, onChange }: ValueProps) {
  const t = useTexts(texts)
  switch (shapeOf(rule.operator, field.kind)) {
    case 'none':
      return <span className={css.none} />
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
  if (field.kind === 'enum') {
    const choices = (field.words ?? []).map(w => ({ id: w, text: w.replaceAll('_', ' ') }))
    return (
      <Select
        label={label}
        hideLabel
        choices={choices}
        value={String(value)}
        errors={errors}
        onChange={onChange}
      />
    )
  }
  if (field.kind === 'boolean') {
    const choices = [
      { id: 'true', text: t.yes },
      { id: 'false', text: t.no },
    ]
    return (
      <Select
        label={label}
        hideLabel
        choices={choices}
        value={String(value)}
        errors={errors}
        onChange={v => onChange(v === 'true')}
      />
    )
  }
  if (field.kind === 'colors') {
    const hex = typeof value === 'string' ? value : ((value as { color?: string } | null)?.color ?? '#1e90ff')
    return (
      <input
        type="color"
        aria-label={label}
        className={css.colour}
        value={hex}
        onChange={e => onChange(e.currentTarget.value)}
      />
    )
  }
  const type = field.kind === 'date' ? 'date' : field.kind === 'number' ? 'number' : 'text'
  const text =
    value === null || value === undefined
      ? ''
      : String(value).slice(0, field.kind === 'date' ? 10 : undefined)
  return (
    <TextField
      label={label}
      hideLabel
      type={type}
      value={text}
      errors={errors}
      onChange={v => onChange(type === 'number' && v !== '' ? Number(v) : v)}
    />
  )
}

function Many({ field, value, errors, onChange }: PartProps) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  const items = Array.isArray(value) ? value : value === null || value === '' ? [] : [value]
  const collections = useCollectionsNamed('', field.kind === 'ids')
  const choices =
    field.kind === 'ids'
      ? (collections.data ?? []).map(c => ({ id: String(c.id), text: c.name }))
      : (field.words ?? []).map(w => ({ id: w, text: w.replaceAll('_', ' ') }))
  const name = (v: unknown) => choices.find(c => c.id === String(v))?.text ?? String(v)
  const add = (v: string) => {
    const item = field.kind === 'number' || field.kind === 'ids' ? Number(v) : v
    if (v && !items.includes(item)) onChange([...items, item])
    setText('')
  }
  return (
    <div className={css.many}>
      <TagGroup onRemove={keys => onChange(items.filter(i => !keys.has(String(i))))}>
        <Label className="visually-hidden">{t.value}</Label>
        <TagList className={css.tags} items={items.map(i => ({ id: String(i) }))}>
          {({ id }) => (
            <Tag id={id} textValue={name(id)} className={css.tag}>
              {name(id)}
              <Button slot="remove" className={css.tagButton} aria-label={t.remove}>
                <X size={12} />
              </Button>
            </Tag>
          )}
        </TagList>
      </TagGroup>
      {choices.length > 0 ? (
        <Select
          label={t.addValue}
          hideLabel
          choices={choices.filter(c => !items.map(String).includes(c.id))}
          value={null}
          errors={errors}
          onChange={add}
        />
      ) : (
        <TextField
          label={t.addValue}
          hideLabel
          placeholder={t.addValue}
          type={field.kind === 'date' ? 'date' : field.kind === 'number' ? 'number' : 'text'}
          value={text}
          errors={errors}
          onChange={setText}
          onBlur={() => add(text.trim())}
          onKeyDown={e => {
            if (e.key !== 'Enter') return e.continuePropagation()
            e.preventDefault()
            add(text.trim())
          }}
        />
      )}
    </div>
  )
}
