import { messagesAt } from '~/api/client'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { useAllFields, useAssetClasses } from '~/features/definitions/all'
import { MetadataInput } from '~/features/upload/MetadataInput'
import { useTexts } from '~/text/context'
import type { Changes } from './bulk'
import { texts } from './texts'

/** What many assets can be given at once, besides what every library has. */
export function usePresent() {
  const t = useTexts(texts)
  const fields = useAllFields()
  const classes = useAssetClasses()
  const custom = fields.data ?? []
  const names: Record<string, string> = { ...t.fields }
  for (const f of custom) names[`metadata.${f.key}`] = f.label
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
      {fields.classes.length > 0 && (
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
        <MetadataInput
          key={f.key}
          field={f}
          empty={t.keep}
          value={changes.metadata?.[f.key] ?? null}
          onChange={v => {
            const { [f.key]: _, ...others } = changes.metadata ?? {}
            const metadata = v === '' || v === null ? others : { ...others, [f.key]: v }
            set('metadata', Object.keys(metadata).length > 0 ? metadata : undefined)
          }}
          errors={messagesAt(errors, `changes.metadata.${f.key}`)}
        />
      ))}
    </>
  )
}
