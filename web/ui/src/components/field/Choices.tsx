import { FieldError, Label, Radio, RadioGroup } from 'react-aria-components'
import css from './Choices.module.css'

interface Choice<K extends string> {
  id: K
  text: string
  /** The explanation. */
  help: string
}

interface ChoicesProps<K extends string> {
  label: string
  choices: readonly Choice<K>[]
  value: K
  onChange: (value: K) => void
  errors?: string[]
}

/** A choice of a few options with an explanation each. */
export function Choices<K extends string>({ label, choices, value, onChange, errors }: ChoicesProps<K>) {
  const wrong = errors !== undefined && errors.length > 0
  return (
    <RadioGroup
      className={css.group}
      value={value}
      onChange={v => onChange(v as K)}
      {...(wrong ? { isInvalid: true } : {})}
    >
      <Label className={css.label}>{label}</Label>
      {choices.map(c => (
        <Radio key={c.id} value={c.id} className={css.choice}>
          <span className={css.dot} aria-hidden />
          <span>
            {c.text}
            <span className={css.help}>{c.help}</span>
          </span>
        </Radio>
      ))}
      <FieldError className={css.error}>{wrong ? errors.join(' ') : undefined}</FieldError>
    </RadioGroup>
  )
}
