import type { Schemas } from '~/api/client'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { useAllFields, useAssetClasses } from '~/features/definitions/all'
import { useTexts } from '~/text/context'
import type { Changes } from './bulk'
import { texts } from './texts'

type Field = Schemas['MetadataField']

/** What many assets can be given at once, besides what every library has. */
export function usePresent() {
  const t = useTexts(texts)
  const fields = useAllFields()
  const classes = useAssetClasses()
  const custom = (fields.data ?? []).filter(f => f.type !== 'term' && f.type !== 'terms')
  const names: Record<string, string> = { ...t.fields }
  for (const f of fields.data ?? []) names[`metadata.${f.key}`] = f.label
  return { custom, classes: classes.data ?? [], names }
}

interface EditFieldsProps {
  fields: ReturnType<typeof usePresent>
  changes: Changes
  onChange: (changes: Changes) => void
  errors: Record<string, string[]>
}

const statuses = ['draft', 'in_review', 'approved', 'rejected', 'archived'] as const
const plain = ['description', 'creator', 'copyright', 'usage_terms'] as const
const long: readonly string[] = ['description', 'usage_terms']

/** The fields to fill in; those left empty stay as they are. */
export function EditFields({ fields, changes, onChange, errors }: EditFieldsProps) {
  const t = useTexts(texts)
  const set = (name: keyof Changes, value: unknown) => {
    const { [name]: _, ...others } = changes
    onChange(value === '' || value === undefined ? others : { ...others, [name]: value })
  }
  const keep = { id: '', text: t.keep }
  return (
    <>
      <p>{t.leaveEmpty}</p>
      <Select
        label={t.fields.workflow_status ?? ''}
        choices={[keep, ...statuses.map(s => ({ id: s, text: t.statuses[s] ?? s }))]}
        value={changes.workflow_status ?? ''}
        onChange={v => set('workflow_status', v)}
        errors={errors['changes.workflow_status'] ?? []}
      />
      {fields.classes.length > 1 && (
        <Select
          label={t.fields.asset_class_id ?? ''}
          choices={[keep, ...fields.classes.map(c => ({ id: String(c.id), text: c.name }))]}
          value={String(changes.asset_class_id ?? '')}
          onChange={v => set('asset_class_id', v && Number(v))}
          errors={errors['changes.asset_class_id'] ?? []}
        />
      )}
      {plain.map(name => (
        <TextField
          key={name}
          label={t.fields[name] ?? name}
          long={long.includes(name)}
          value={changes[name] ?? ''}
          onChange={v => set(name, v)}
          errors={errors[`changes.${name}`] ?? []}
        />
      ))}
      {fields.custom.map(f => (
        <Custom
          key={f.key}
          field={f}
          value={changes.metadata?.[f.key]}
          onChange={v => {
            const { [f.key]: _, ...others } = changes.metadata ?? {}
            const metadata = v === '' ? others : { ...others, [f.key]: v }
            set('metadata', Object.keys(metadata).length > 0 ? metadata : undefined)
          }}
          errors={errors[`changes.metadata.${f.key}`] ?? []}
        />
      ))}
    </>
  )
}

interface CustomProps {
  field: Field
  value: unknown
  onChange: (value: unknown) => void
  errors: string[]
}

/** A field that the library has defined. */
function Custom({ field, value, onChange, errors }: CustomProps) {
  const t = useTexts(texts)
  const text = value === undefined ? '' : String(value)
  if (field.type === 'boolean') {
    const choices = [
      { id: '', text: t.keep },
      { id: 'true', text: t.yes },
      { id: 'false', text: t.no },
    ]
    return (
      <Select
        label={field.label}
        choices={choices}
        value={text}
        onChange={v => onChange(v === '' ? '' : v === 'true')}
        errors={errors}
      />
    )
  }
  const numeric = field.type === 'integer' || field.type === 'number'
  return (
    <TextField
      label={field.label}
      type={numeric ? 'number' : field.type === 'date' ? 'date' : 'text'}
      long={field.type === 'long_text'}
      value={text}
      onChange={v => onChange(numeric && v !== '' ? Number(v) : v)}
      errors={errors}
    />
  )
}
