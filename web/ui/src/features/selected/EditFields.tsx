import { Eraser, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { messagesAt } from '~/api/client'
import { IconButton } from '~/components/button/Button'
import { DateField } from '~/components/field/DateFields'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { offsetIn, shiftIn } from '~/features/assets/capture'
import { statuses } from '~/features/assets/statuses'
import { useAllFields, useAssetClasses } from '~/features/definitions/all'
import { MetadataInput } from '~/features/upload/MetadataInput'
import { readCoordinates } from '~/features/viewer/panel/coordinates'
import { useTexts } from '~/text/context'
import type { Changes } from './bulk'
import css from './EditFields.module.css'
import { texts } from './texts'

/** The custom fields and asset classes of the library, and the labels of all fields. */
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

const days = ['usage_from', 'usage_until'] as const
const plain = ['description', 'creator', 'copyright', 'usage_terms'] as const
const people = ['add_people', 'remove_people'] as const
const long: readonly string[] = ['description', 'usage_terms']

/** The changes with one more, or without it if its value is undefined. */
function changed<T extends object>(changes: T, name: keyof T, value: unknown): T {
  const { [name]: _, ...others } = changes
  return (value === undefined ? others : { ...others, [name]: value }) as T
}

interface NamesFieldProps {
  label: string
  help: string
  value: readonly string[] | undefined
  onChange: (names: string[] | undefined) => void
  errors: string[]
}

/** Names, as in the panel of an asset: separated by semicolons, because they can contain commas. */
function NamesField({ value, onChange, ...props }: NamesFieldProps) {
  const [text, setText] = useState(value?.join('; ') ?? '')
  const change = (v: string) => {
    setText(v)
    const names = v
      .split(';')
      .map(n => n.trim())
      .filter(Boolean)
    onChange(names.length > 0 ? names : undefined)
  }
  return <TextField {...props} value={text} onChange={change} />
}

/** The fields to set or to clear; others are not changed. */
export function EditFields({ fields, changes, onChange, errors }: EditFieldsProps) {
  const t = useTexts(texts)
  const set = (name: keyof Changes, value: unknown) => onChange(changed(changes, name, value))
  const setCustom = (key: string, value: unknown) => {
    const metadata = changed<Record<string, unknown>>(changes.metadata ?? {}, key, value)
    set('metadata', Object.keys(metadata).length > 0 ? metadata : undefined)
  }
  const keep = { id: '', text: t.keep }
  return (
    <>
      <p>{t.leaveEmpty}</p>
      <Select
        label={t.fields.workflow_status ?? ''}
        choices={[keep, ...statuses.map(s => ({ id: s, text: t.statuses[s] }))]}
        value={changes.workflow_status ?? ''}
        onChange={v => set('workflow_status', v || undefined)}
        errors={errors['changes.workflow_status'] ?? []}
      />
      {fields.classes.length > 0 && (
        <Clearable
          label={t.fields.asset_class_id ?? ''}
          value={changes.asset_class_id}
          onChange={v => set('asset_class_id', v)}
          errors={errors['changes.asset_class_id'] ?? []}
        >
          {common => (
            <Select
              {...common}
              choices={[keep, ...fields.classes.map(c => ({ id: String(c.id), text: c.name }))]}
              value={String(changes.asset_class_id ?? '')}
              onChange={v => set('asset_class_id', v ? Number(v) : undefined)}
            />
          )}
        </Clearable>
      )}
      <TextField
        label={t.fields.title ?? ''}
        value={changes.title ?? ''}
        onChange={v => set('title', v || undefined)}
        errors={errors['changes.title'] ?? []}
      />
      {plain.map(name => (
        <Clearable
          key={name}
          label={t.fields[name] ?? name}
          value={changes[name]}
          onChange={v => set(name, v)}
          errors={errors[`changes.${name}`] ?? []}
        >
          {common => (
            <TextField
              {...common}
              long={long.includes(name)}
              value={changes[name] ?? ''}
              onChange={v => set(name, v || undefined)}
            />
          )}
        </Clearable>
      ))}
      {people.map(name => (
        <NamesField
          key={name}
          label={t.fields[name] ?? name}
          help={t.separatedNames}
          value={changes[name]}
          onChange={v => set(name, v)}
          errors={messagesAt(errors, `changes.${name}`)}
        />
      ))}
      <LocationFields
        value={changes.location}
        onChange={v => set('location', v)}
        errors={messagesAt(errors, 'changes.location')}
      />
      <CaptureFields changes={changes} set={set} errors={errors} />
      {days.map(name => (
        <Clearable
          key={name}
          label={t.fields[name] ?? name}
          value={changes[name]}
          onChange={v => set(name, v)}
          errors={errors[`changes.${name}`] ?? []}
        >
          {common => (
            <DateField
              {...common}
              withTime
              value={changes[name] ?? ''}
              onChange={v => set(name, v || undefined)}
            />
          )}
        </Clearable>
      ))}
      {fields.custom.map(f => (
        <Clearable
          key={f.key}
          label={f.label}
          isRequired={f.is_required}
          value={changes.metadata?.[f.key]}
          onChange={v => setCustom(f.key, v)}
          errors={messagesAt(errors, `changes.metadata.${f.key}`)}
        >
          {common => (
            <MetadataInput
              field={f}
              value={changes.metadata?.[f.key] ?? null}
              onChange={v => setCustom(f.key, v === null || v === '' ? undefined : v)}
              errors={common.errors}
              empty={t.keep}
            />
          )}
        </Clearable>
      ))}
    </>
  )
}

interface CaptureFieldsProps {
  changes: Changes
  set: (name: keyof Changes, value: unknown) => void
  errors: Record<string, string[]>
}

/** The error of a camera's clock, and its time zone. */
function CaptureFields({ changes, set, errors }: CaptureFieldsProps) {
  const t = useTexts(texts)
  const [shift, setShift] = useState(changes.capture_shift ?? '')
  const [offset, setOffset] = useState(changes.capture_utc_offset ?? '')
  return (
    <>
      <TextField
        label={t.fields.capture_shift ?? ''}
        help={t.shiftHelp}
        placeholder="+1:00"
        value={shift}
        onChange={text => {
          setShift(text)
          set('capture_shift', text.trim() ? shiftIn(text) : undefined)
        }}
        errors={errors['changes.capture_shift'] ?? []}
      />
      <Clearable
        label={t.fields.capture_utc_offset ?? ''}
        value={changes.capture_utc_offset}
        onChange={v => {
          setOffset('')
          set('capture_utc_offset', v)
        }}
        errors={errors['changes.capture_utc_offset'] ?? []}
      >
        {common => (
          <TextField
            {...common}
            help={t.offsetHelp}
            placeholder="-08:00"
            value={offset}
            onChange={text => {
              setOffset(text)
              set('capture_utc_offset', text.trim() ? offsetIn(text) : undefined)
            }}
          />
        )}
      </Clearable>
    </>
  )
}

interface LocationFieldsProps {
  value: Changes['location']
  onChange: (value: Changes['location']) => void
  errors: string[]
}

/** The name of a place and its coordinates; each is optional. */
function LocationFields({ value, onChange, errors }: LocationFieldsProps) {
  const t = useTexts(texts)
  const [point, setPoint] = useState('')
  const change = (changes: object) => {
    const next = Object.entries({ ...value, ...changes }).filter(([, v]) => v !== undefined)
    onChange(next.length > 0 ? Object.fromEntries(next) : undefined)
  }
  return (
    <Clearable label={t.fields.location ?? ''} value={value} onChange={onChange} errors={errors}>
      {common => (
        <>
          <TextField
            label={common.label}
            value={value?.place ?? ''}
            onChange={place => change({ place: place || undefined })}
            errors={common.errors}
          />
          <TextField
            label={t.coordinates}
            placeholder="53.5413, 9.9841"
            value={point}
            onChange={text => {
              setPoint(text)
              change(text.trim() ? readCoordinates(text) : { latitude: undefined, longitude: undefined })
            }}
          />
        </>
      )}
    </Clearable>
  )
}

interface ClearableProps {
  label: string
  /** The new value; null to clear it, undefined to keep it. */
  value: unknown
  onChange: (value: null | undefined) => void
  errors: string[]
  isRequired?: boolean
  children: (common: { label: string; errors: string[] }) => ReactNode
}

/** A field with a button that clears it. */
function Clearable({ label, value, onChange, errors, isRequired = false, children }: ClearableProps) {
  const t = useTexts(texts)
  const isCleared = value === null
  return (
    <div className={css.clearable}>
      {isCleared ? (
        <TextField label={label} value="" placeholder={t.willBeEmpty} isDisabled errors={errors} />
      ) : (
        children({ label, errors })
      )}
      {!isRequired && (
        <IconButton
          label={isCleared ? t.dontEmpty(label) : t.emptyIt(label)}
          onPress={() => onChange(isCleared ? undefined : null)}
        >
          {isCleared ? <Undo2 /> : <Eraser />}
        </IconButton>
      )}
    </div>
  )
}
