import {
  type TextFieldProps as AriaProps,
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from 'react-aria-components'
import css from './Field.module.css'

interface TextFieldProps extends Omit<AriaProps, 'className' | 'style' | 'children'> {
  label: string
  /** The label is for screen readers only. */
  hideLabel?: boolean
  help?: string
  /** What the server found wrong with it. */
  errors?: string[]
  /** Several lines. */
  long?: boolean
  placeholder?: string
}

/** One text with its label and what is wrong with it. */
export function TextField({
  label,
  hideLabel = false,
  help,
  errors,
  long = false,
  placeholder,
  ...props
}: TextFieldProps) {
  const wrong = errors !== undefined && errors.length > 0
  return (
    <AriaTextField {...props} {...(wrong ? { isInvalid: true } : {})} className={css.field}>
      <Label className={hideLabel ? 'visually-hidden' : css.label}>{label}</Label>
      {long ? (
        <TextArea className={css.area} placeholder={placeholder} />
      ) : (
        <Input className={css.input} placeholder={placeholder} />
      )}
      {help && (
        <Text slot="description" className={css.help}>
          {help}
        </Text>
      )}
      <FieldError className={css.error}>{wrong ? errors.join(' ') : undefined}</FieldError>
    </AriaTextField>
  )
}
