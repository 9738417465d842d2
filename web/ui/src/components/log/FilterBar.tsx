import type { ReactNode } from 'react'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { Button } from '../button/Button'
import { DateField } from '../field/DateFields'
import css from './Log.module.css'

const texts = catalogue(
  { from: 'From', to: 'To', clear: 'Clear the filters' },
  { de: { from: 'Von', to: 'Bis', clear: 'Filter aufheben' } },
)

interface FilterBarProps {
  filter: { from?: string; to?: string; page?: string }
  set: (changes: { from?: string; to?: string }) => void
  clear: () => void
  errors: Record<string, string[]>
  children: ReactNode
}

/** The filter fields of a log, followed by its date range. */
export function FilterBar({ filter, set, clear, errors, children }: FilterBarProps) {
  const t = useTexts(texts)
  return (
    <search className={css.filters}>
      {children}
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
