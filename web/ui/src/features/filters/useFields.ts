import { useMemo } from 'react'
import { useAllFields } from '~/features/definitions/all'
import { textFor } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { builtIn, customField, type FilterField } from './fields'
import { texts } from './texts'

/** The fields that rules can be about, those of every library and its own, and what people call them. */
export function useFields() {
  const t = useTexts(texts)
  const custom = useAllFields()
  return useMemo(() => {
    const fields = [...builtIn, ...(custom.data?.filter(f => f.is_filterable).map(customField) ?? [])]
    const byName = new Map(fields.map(f => [f.name, f]))
    return {
      // What guests have picked is asked from their share.
      fields: fields.filter(f => f.kind !== 'shares'),
      field: (name: string): FilterField => byName.get(name) ?? { name, kind: 'text', label: name },
      name: (f: FilterField) => f.label ?? textFor(t.fields, f.name),
    }
  }, [custom.data, t])
}
