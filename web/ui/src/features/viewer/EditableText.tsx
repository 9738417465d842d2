import { useEffect, useState } from 'react'
import { ApiError } from '~/api/client'
import { TextField } from '~/components/field/TextField'

interface EditableTextProps {
  label: string
  /** Its name in the interface, by which the server's messages find it. */
  name: string
  value: string
  onSave: (value: string) => Promise<unknown>
  isRequired?: boolean
}

/** A text that is saved when one leaves it or presses Enter; Escape takes the change back. */
export function EditableText({ label, name, value, onSave, isRequired = false }: EditableTextProps) {
  const [text, setText] = useState(value)
  const [errors, setErrors] = useState<string[]>([])
  useEffect(() => setText(value), [value])
  const save = async () => {
    if (text === value) return setErrors([])
    try {
      await onSave(text)
      setErrors([])
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      setErrors(e.fields[name] ?? [e.message])
    }
  }
  return (
    <TextField
      label={label}
      value={text}
      onChange={setText}
      isRequired={isRequired}
      errors={errors}
      onBlur={() => void save()}
      onKeyDown={e => {
        if (e.key === 'Enter') void save()
        if (e.key !== 'Escape') return e.continuePropagation()
        setText(value)
        setErrors([])
      }}
    />
  )
}
