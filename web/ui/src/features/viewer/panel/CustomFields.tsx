import { ExternalLink } from 'lucide-react'
import type { Schemas } from '~/api/client'
import type { ReadAsset } from '~/features/assets/asset'
import { useAllFields } from '~/features/definitions/all'
import { useFormat, useTexts } from '~/text/context'
import { EditableDate, EditableNumber, EditableText } from './EditableText'
import css from './Panel.module.css'
import { Picker } from './Pickers'
import { Fact, Part } from './Row'
import type { EditProps } from './save'
import { TermNames, TermsField } from './TermsField'
import { texts } from './texts'

type Field = Schemas['MetadataField']

/** The custom fields of the asset's class; without definitions, the existing values. */
export function CustomFields({ asset, save }: EditProps) {
  const t = useTexts(texts)
  const fields = useAllFields()
  if (!fields.data) return null
  const applying = fields.data.filter(
    f => f.asset_class_ids.length === 0 || f.asset_class_ids.includes(asset.asset_class_id ?? 0),
  )
  const known = new Set(applying.map(f => f.key))
  const others = Object.entries(asset.metadata).filter(([k]) => !known.has(k))
  const shown = save ? applying : applying.filter(f => asset.metadata[f.key] !== undefined)
  if (shown.length === 0 && others.length === 0) return null
  return (
    <Part title={t.metadata}>
      {save ? (
        shown.map(f => <CustomField key={f.key} field={f} asset={asset} save={save} />)
      ) : (
        <dl className={css.facts}>
          {shown.map(f => (
            <Fact key={f.key} name={f.label}>
              <CustomValue field={f} value={asset.metadata[f.key]} />
            </Fact>
          ))}
        </dl>
      )}
      {others.length > 0 && (
        <dl className={css.facts}>
          {others.map(([k, v]) => (
            <Fact key={k} name={k}>
              {Array.isArray(v) ? v.join(', ') : String(v)}
            </Fact>
          ))}
        </dl>
      )}
    </Part>
  )
}

interface FieldProps {
  field: Field
  asset: ReadAsset
  save: NonNullable<EditProps['save']>
}

function CustomField({ field, asset, save }: FieldProps) {
  const t = useTexts(texts)
  const value = asset.metadata[field.key] ?? null
  const common = {
    label: field.is_required ? `${field.label} *` : field.label,
    name: `metadata.${field.key}`,
    isRequired: field.is_required,
    ...(field.description && { help: field.description }),
  }
  const onSave = (v: unknown, force?: boolean) => save({ metadata: { [field.key]: v } }, force)
  const text = typeof value === 'string' ? value : ''
  switch (field.type) {
    case 'integer':
    case 'number':
      return <EditableNumber {...common} value={typeof value === 'number' ? value : null} onSave={onSave} />
    case 'date':
    case 'datetime':
      return (
        <EditableDate {...common} value={text || null} onSave={onSave} withTime={field.type === 'datetime'} />
      )
    case 'boolean':
      return (
        <Picker
          label={common.label}
          name={common.name}
          value={value === null ? '' : String(value)}
          choices={[
            { id: '', text: t.none },
            { id: 'true', text: t.yes },
            { id: 'false', text: t.no },
          ]}
          onSave={(v, force) => onSave(v === '' ? null : v === 'true', force)}
        />
      )
    case 'term':
    case 'terms':
      return (
        <TermsField
          {...common}
          vocabulary={field.vocabulary_id ?? 0}
          several={field.type === 'terms'}
          value={keysOf(value)}
          onSave={(keys, force) =>
            onSave(field.type === 'terms' ? (keys.length ? keys : null) : (keys[0] ?? null), force)
          }
        />
      )
  }
  return (
    <>
      <EditableText
        {...common}
        value={text}
        type={field.type === 'url' ? 'url' : 'text'}
        long={field.type === 'long_text'}
        onSave={(v, force) => onSave(v || null, force)}
      />
      {field.type === 'url' && text && <Opened url={text} />}
    </>
  )
}

function keysOf(value: unknown): string[] {
  return Array.isArray(value)
    ? value.map(String)
    : value === null || value === undefined
      ? []
      : [String(value)]
}

/** A link to another site, without a referrer. */
function Opened({ url }: { url: string }) {
  const t = useTexts(texts)
  if (!/^https?:\/\//i.test(url)) return null
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className={css.inlineLink}>
      <ExternalLink size={14} aria-hidden /> {t.openLink}
    </a>
  )
}

/** The value of a custom field in readable form. */
export function CustomValue({ field, value }: { field: Field; value: unknown }) {
  const t = useTexts(texts)
  const format = useFormat()
  switch (field.type) {
    case 'term':
    case 'terms':
      return <TermNames vocabulary={field.vocabulary_id ?? 0} keys={keysOf(value)} />
    case 'boolean':
      return value ? t.yes : t.no
    case 'integer':
    case 'number':
      return typeof value === 'number' ? format.number(value) : String(value)
    case 'date':
      return format.day(`${String(value)}T00:00`) // without a time zone
    case 'datetime':
      return format.time(String(value))
    case 'url':
      return <Opened url={String(value)} />
  }
  return String(value)
}
