import { useState } from 'react'
import { Picker } from '~/components/field/Picker'
import { Select } from '~/components/field/Select'
import { TypedField } from '~/components/field/TypedField'
import { FilterBar } from '~/components/log/FilterBar'
import { useUserNames } from '~/features/collections/collections'
import { useTexts } from '~/text/context'
import { type AuditFilter, type FilterName, methods } from './audit'
import { texts } from './texts'

interface FiltersProps {
  filter: AuditFilter
  set: (changes: AuditFilter) => void
  clear: () => void
  errors: Record<string, string[]>
}

/** The filters of the audit log. */
export function Filters({ filter, set, clear, errors }: FiltersProps) {
  const t = useTexts(texts)
  const typed = (name: FilterName, label: string, type: 'text' | 'email' = 'text') => (
    <TypedField
      key={`${name} ${filter[name] ?? ''}`}
      label={label}
      type={type}
      value={filter[name] ?? ''}
      onChange={v => set({ [name]: v })}
      errors={errors[name] ?? []}
    />
  )
  return (
    <FilterBar filter={filter} set={set} clear={clear} errors={errors}>
      <Select
        label={t.show}
        choices={[
          { id: '', text: t.changes },
          { id: '1', text: t.everything },
        ]}
        value={filter.all ?? ''}
        onChange={all => set({ all })}
      />
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
      <User
        value={filter.user_id ?? ''}
        onChange={user_id => set({ user_id })}
        errors={errors.user_id ?? []}
      />
      {typed('token_id', t.token)}
      {typed('account', t.account, 'email')}
      {typed('status', t.statusCode)}
    </FilterBar>
  )
}

interface UserProps {
  value: string
  onChange: (value: string) => void
  errors: string[]
}

/** A user, found by name. */
function User({ value, onChange, errors }: UserProps) {
  const t = useTexts(texts)
  const [typed, setTyped] = useState('')
  const chosen = useUserNames({ ids: value ? [Number(value)] : [] })
  const found = useUserNames({ q: typed })
  const choice = (u: { id: number; name: string }) => ({ id: String(u.id), text: u.name })
  const known = chosen.data?.map(choice) ?? []
  return (
    <Picker
      label={t.user}
      values={value ? (known.length > 0 ? known : [{ id: value, text: t.userOf(value) }]) : []}
      onChange={ids => onChange(ids.at(-1) ?? '')}
      choices={found.data?.map(choice) ?? []}
      onSearch={setTyped}
      errors={errors}
    />
  )
}
