import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { DateField } from '~/components/field/DateFields'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import css from './Audit.module.css'
import { type AuditFilter, type FilterName, methods } from './audit'
import { texts } from './texts'

interface FiltersProps {
  filter: AuditFilter
  set: (changes: AuditFilter) => void
  clear: () => void
  errors: Record<string, string[]>
}

/** What of the audit log is shown. */
export function Filters({ filter, set, clear, errors }: FiltersProps) {
  const t = useTexts(texts)
  const typed = (name: FilterName, label: string, type: 'text' | 'email' = 'text') => (
    <Typed
      key={`${name} ${filter[name] ?? ''}`}
      label={label}
      type={type}
      value={filter[name] ?? ''}
      onChange={v => set({ [name]: v })}
      errors={errors[name] ?? []}
    />
  )
  return (
    <search className={css.filters}>
      <Select
        label={t.event}
        choices={[{ id: '', text: t.any }, ...Object.entries(t.events).map(([id, text]) => ({ id, text }))]}
        value={filter.event ?? ''}
        onChange={event => set({ event })}
      />
      <Select
        label={t.method}
        choices={[{ id: '', text: t.any }, ...methods.map(id => ({ id: id as string, text: id }))]}
        value={filter.method ?? ''}
        onChange={method => set({ method })}
      />
      {typed('user_id', t.user)}
      {typed('token_id', t.token)}
      {typed('account', t.account, 'email')}
      {typed('status', t.statusCode)}
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
  type: 'text' | 'email'
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
