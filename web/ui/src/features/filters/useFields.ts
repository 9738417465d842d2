import { useMemo } from 'react'
import { useAllFields } from '~/features/definitions/all'
import { textFor } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { builtIn, customField, type FilterField } from './fields'
import { texts } from './texts'

/** The fields for rules, built-in and custom, with their display names. */
export function useFields() {
  const t = useTexts(texts)
  const custom = useAllFields()
  return useMemo(() => {
    const fields = [...builtIn, ...(custom.data?.filter(f => f.is_filterable).map(customField) ?? [])]
    const byName = new Map(fields.map(f => [f.name, f]))
    return {
      // Picks of guests are filtered from the page of their share.
      fields: fields.filter(f => f.kind !== 'shares'),
      field: (name: string): FilterField => byName.get(name) ?? { name, kind: 'text', label: name },
      name: (f: FilterField) => f.label ?? textFor(t.fields, f.name),
    }
  }, [custom.data, t])
}
