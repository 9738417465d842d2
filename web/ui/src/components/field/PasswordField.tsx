import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import {
  type TextFieldProps as AriaProps,
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  Text,
} from 'react-aria-components'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { IconButton } from '../button/Button'
import css from './Field.module.css'

const texts = catalogue(
  { show: 'Show the password', hide: 'Hide the password' },
  { de: { show: 'Passwort anzeigen', hide: 'Passwort verbergen' } },
)

interface PasswordFieldProps extends Omit<AriaProps, 'className' | 'style' | 'children' | 'type'> {
  label: string
  help?: string
  /** Error messages of the server. */
  errors?: string[]
  autoComplete: 'current-password' | 'new-password'
}

/** A password that can be revealed instead of typed twice. */
export function PasswordField({ label, help, errors, ...props }: PasswordFieldProps) {
  const t = useTexts(texts)
  const [shown, setShown] = useState(false)
  const wrong = errors !== undefined && errors.length > 0
  return (
    <AriaTextField
      {...props}
      {...(wrong ? { isInvalid: true } : {})}
      type={shown ? 'text' : 'password'}
      className={css.field}
    >
      <Label className={css.label}>{label}</Label>
      <span className={css.withButton}>
        <Input className={css.input} spellCheck={false} autoCapitalize="none" />
        <IconButton label={shown ? t.hide : t.show} onPress={() => setShown(!shown)}>
          {shown ? <EyeOff /> : <Eye />}
        </IconButton>
      </span>
      {help && (
        <Text slot="description" className={css.help}>
          {help}
        </Text>
      )}
      <FieldError className={css.error}>{wrong ? errors.join(' ') : undefined}</FieldError>
    </AriaTextField>
  )
}
