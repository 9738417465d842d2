import { TextField } from '~/components/field/TextField'
import { ConflictNote } from './Row'
import { useEditable } from './useEditable'

interface EditableTextProps {
  label: string
  hideLabel?: boolean
  /** Its name in the interface, by which the server's messages find it. */
  name: string
  value: string
  onSave: (value: string, force?: boolean) => Promise<unknown>
  placeholder?: string
  help?: string
  isRequired?: boolean
  long?: boolean
  type?: 'text' | 'url' | 'date' | 'datetime-local'
  inputMode?: 'decimal' | 'numeric'
}

/** A text that is saved when one leaves it or presses Enter; Escape takes the change back. */
export function EditableText({ name, value, onSave, long = false, ...props }: EditableTextProps) {
  const field = useEditable({ name, value, onSave })
  return (
    <div data-field={name}>
      <TextField
        {...props}
        long={long}
        value={field.draft}
        onChange={field.setDraft}
        errors={field.errors}
        onBlur={() => void field.commit()}
        onKeyDown={e => {
          if (e.key === 'Enter' && (!long || e.ctrlKey || e.metaKey)) void field.commit()
          else if (e.key === 'Escape' && (field.changed || field.errors.length > 0)) field.reset()
          else e.continuePropagation()
        }}
      />
      <ConflictNote conflict={field.conflict} theirs={value} />
    </div>
  )
}

/** A number, written as a text. */
export function EditableNumber({
  value,
  onSave,
  ...props
}: Omit<EditableTextProps, 'value' | 'onSave' | 'inputMode'> & {
  value: number | null
  onSave: (value: number | string | null, force?: boolean) => Promise<unknown>
}) {
  const save = (text: string, force?: boolean) => {
    const n = Number(text.replace(',', '.'))
    // What is no number goes to the server as it is, which says so at the field.
    return onSave(text.trim() === '' ? null : Number.isFinite(n) ? n : text, force)
  }
  return (
    <EditableText {...props} inputMode="decimal" value={value === null ? '' : String(value)} onSave={save} />
  )
}

const minutes = 16 // characters of YYYY-MM-DDTHH:MM

/** A moment, written in the reader's zone. */
export function EditableTime({
  value,
  onSave,
  ...props
}: Omit<EditableTextProps, 'value' | 'onSave' | 'type'> & {
  value: string | null
  onSave: (value: string | null, force?: boolean) => Promise<unknown>
}) {
  const shown = value ? localTime(new Date(value)) : ''
  return (
    <EditableText
      {...props}
      type="datetime-local"
      value={shown}
      onSave={(text, force) => onSave(text ? new Date(text).toISOString() : null, force)}
    />
  )
}

/** A time as fields of the browser write it. */
function localTime(d: Date): string {
  return new Date(d.getTime() - d.getTimezoneOffset() * 60_000).toISOString().slice(0, minutes)
}
