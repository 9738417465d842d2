import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { DateField } from '~/components/field/DateFields'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import css from './Consents.module.css'
import type { ConsentFilter, FilterName } from './consents'
import { texts } from './texts'

interface FiltersProps {
  filter: ConsentFilter
  set: (changes: ConsentFilter) => void
  clear: () => void
  errors: Record<string, string[]>
}

/** Which consents are shown. */
export function Filters({ filter, set, clear, errors }: FiltersProps) {
  const t = useTexts(texts)
  const typed = (name: FilterName, label: string) => (
    <Typed
      key={`${name} ${filter[name] ?? ''}`}
      label={label}
      value={filter[name] ?? ''}
      onChange={v => set({ [name]: v })}
      errors={errors[name] ?? []}
    />
  )
  return (
    <search className={css.filters}>
      {typed('subject', t.subject)}
      <Select
        label={t.context}
        choices={[{ id: '', text: t.any }, ...Object.entries(t.contexts).map(([id, text]) => ({ id, text }))]}
        value={filter.context ?? ''}
        onChange={context => set({ context })}
      />
      {typed('terms_version', t.version)}
      {typed('share_id', t.share)}
      <DateField
        label={t.from}
        value={filter.from ?? ''}
        onChange={from => set({ from })}
        errors={errors.from ?? []}
      />
      <DateField label={t.to} value={filter.to ?? ''} onChange={to => set({ to })} errors={errors.to ?? []} />
      {Object.keys(filter).some(name => name !== 'page') && <Button onPress={clear}>{t.clear}</Button>}
    </search>
  )
}

interface TypedProps {
  label: string
  value: string
  onChange: (value: string) => void
  errors: string[]
}

/** A filter that counts once it is typed: with Enter, or when the field is left. */
function Typed({ value, onChange, ...props }: TypedProps) {
  const [text, setText] = useState(value)
  const use = () => text !== value && onChange(text.trim())
  return (
    <TextField
      {...props}
      value={text}
      onChange={setText}
      onBlur={use}
      onKeyDown={e => {
        if (e.key === 'Enter') use()
      }}
    />
  )
}
