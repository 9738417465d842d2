import { Select } from '~/components/field/Select'
import { TypedField } from '~/components/field/TypedField'
import { FilterBar } from '~/components/log/FilterBar'
import { useTexts } from '~/text/context'
import type { ConsentFilter, FilterName } from './queries'
import { texts } from './texts'

interface FiltersProps {
  filter: ConsentFilter
  set: (changes: ConsentFilter) => void
  clear: () => void
  errors: Record<string, string[]>
}

/** The filters of consents. */
export function Filters({ filter, set, clear, errors }: FiltersProps) {
  const t = useTexts(texts)
  const typed = (name: FilterName, label: string) => (
    <TypedField
      key={`${name} ${filter[name] ?? ''}`}
      label={label}
      value={filter[name] ?? ''}
      onChange={v => set({ [name]: v })}
      errors={errors[name] ?? []}
    />
  )
  return (
    <FilterBar filter={filter} set={set} clear={clear} errors={errors}>
      {typed('subject', t.subject)}
      <Select
        label={t.context}
        choices={[{ id: '', text: t.any }, ...Object.entries(t.contexts).map(([id, text]) => ({ id, text }))]}
        value={filter.context ?? ''}
        onChange={context => set({ context })}
      />
      {typed('terms_version', t.version)}
      {typed('share_id', t.share)}
    </FilterBar>
  )
}
