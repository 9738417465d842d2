import { DateField } from '~/components/field/DateFields'
import { TextField } from '~/components/field/TextField'
import { useFormat } from '~/text/context'
import { ConflictNote } from './Row'
import { useEditable } from './useEditable'

interface EditableTextProps {
  label: string
  hideLabel?: boolean
  /** The field's API name, for the server's error messages. */
  name: string
  value: string
  onSave: (value: string, force?: boolean) => Promise<unknown>
  placeholder?: string
  help?: string
  isRequired?: boolean
  long?: boolean
  type?: 'text' | 'url'
  inputMode?: 'decimal' | 'numeric'
}

/** A text that is saved on leaving it or with Enter; Escape reverts the change. */
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

/** A number, edited as a text. */
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
    // Invalid numbers are sent unchanged, so that the server reports the error at the field.
    return onSave(text.trim() === '' ? null : Number.isFinite(n) ? n : text, force)
  }
  return (
    <EditableText {...props} inputMode="decimal" value={value === null ? '' : String(value)} onSave={save} />
  )
}

interface EditableDateProps extends Pick<EditableTextProps, 'label' | 'name' | 'help' | 'isRequired'> {
  /** 2026-01-31 or, with a time, an instant or a local time. */
  value: string | null
  onSave: (value: string | null, force?: boolean) => Promise<unknown>
  withTime?: boolean | 'local'
}

/**
 * A day, or a time in the reader's zone or a local time elsewhere; saved on leaving it, picking a day or pressing
 * Enter.
 */
export function EditableDate({ name, value, onSave, ...props }: EditableDateProps) {
  const format = useFormat()
  const save = (text: string, force?: boolean) => onSave(text || null, force)
  const field = useEditable({ name, value: value ?? '', onSave: save })
  const shown = () => {
    if (!value) return ''
    if (props.withTime === 'local') return format.localTime(value)
    return props.withTime ? format.time(value) : format.day(`${value}T00:00`)
  }
  return (
    <div data-field={name}>
      <DateField
        {...props}
        value={field.draft}
        onChange={field.setDraft}
        onDone={v => void field.commit(v)}
        errors={field.errors}
        {...((field.changed || field.errors.length > 0) && { onEscape: field.reset })}
      />
      <ConflictNote conflict={field.conflict} theirs={shown()} />
    </div>
  )
}
