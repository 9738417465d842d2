import { useState } from 'react'
import { TextField } from './TextField'

interface TypedFieldProps {
  label: string
  type?: 'text' | 'email'
  value: string
  onChange: (value: string) => void
  errors: string[]
}

/** A text that is committed with Enter or when the field is left. A new value needs a new key. */
export function TypedField({ value, onChange, ...props }: TypedFieldProps) {
  const [text, setText] = useState(value)
  const use = () => text !== value && onChange(text.trim())
  return (
    <TextField
      {...props}
      value={text}
      onChange={setText}
      onBlur={use}
      onKeyDown={e => {
        if (e.key === 'Enter') use()
      }}
    />
  )
}
