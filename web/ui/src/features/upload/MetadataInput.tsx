import type { Schemas } from '~/api/client'
import { DateField } from '~/components/field/DateFields'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { useAllFields } from '~/features/definitions/all'
import { TermsField } from '~/features/viewer/panel/TermsField'
import { useTexts } from '~/text/context'
import { texts } from './texts'

type Field = Schemas['MetadataField']

/** The required fields of a class, or of all assets. */
export function useRequiredFields(assetClass: number | null): Field[] {
  const fields = useAllFields()
  return (
    fields.data?.filter(
      f =>
        f.is_required &&
        (f.asset_class_ids.length === 0 || (assetClass !== null && f.asset_class_ids.includes(assetClass))),
    ) ?? []
  )
}

interface MetadataInputProps {
  field: Field
  value: unknown
  /** The label of an unset boolean. */
  empty?: string
  onChange: (value: unknown) => void
  errors: string[]
}

/** The input for a custom field, by its type. */
export function MetadataInput({ field, value, empty, onChange, errors }: MetadataInputProps) {
  const t = useTexts(texts)
  const common = { label: field.label, errors, ...(field.description && { help: field.description }) }
  const text = value === null || value === undefined ? '' : String(value)
  switch (field.type) {
    case 'boolean':
      return (
        <Select
          {...common}
          choices={[
            { id: '', text: empty ?? t.empty },
            { id: 'true', text: t.yes },
            { id: 'false', text: t.no },
          ]}
          value={text}
          onChange={v => onChange(v === '' ? null : v === 'true')}
        />
      )
    case 'term':
    case 'terms': {
      const several = field.type === 'terms'
      return (
        <TermsField
          {...common}
          name={`metadata.${field.key}`}
          vocabulary={field.vocabulary_id ?? 0}
          several={several}
          value={Array.isArray(value) ? value.map(String) : text ? [text] : []}
          onSave={async keys => onChange(several ? (keys.length > 0 ? keys : null) : (keys[0] ?? null))}
        />
      )
    }
    case 'date':
      return <DateField {...common} value={text} onChange={onChange} />
    case 'integer':
    case 'number':
      return (
        <TextField
          {...common}
          inputMode="decimal"
          value={text}
          onChange={v => onChange(v.trim() !== '' && Number.isFinite(Number(v)) ? Number(v) : v)}
        />
      )
    case 'datetime':
      return <DateField {...common} withTime value={text} onChange={v => onChange(v || null)} />
  }
  return (
    <TextField
      {...common}
      type={field.type === 'url' ? 'url' : 'text'}
      long={field.type === 'long_text'}
      value={text}
      onChange={onChange}
    />
  )
}
