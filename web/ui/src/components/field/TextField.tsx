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
  /** The label is only for screen readers. */
  hideLabel?: boolean
  help?: string
  /** Error messages of the server. */
  errors?: string[]
  /** Has several lines. */
  long?: boolean
  placeholder?: string
}

/** A text with its label and error messages. */
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
