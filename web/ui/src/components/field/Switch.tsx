import { useId } from 'react'
import { Switch as AriaSwitch } from 'react-aria-components'
import field from './Field.module.css'
import css from './Switch.module.css'

interface SwitchProps {
  label: string
  help?: string
  value: boolean
  onChange: (value: boolean) => void
  isDisabled?: boolean
  /** Error messages of the server. */
  errors?: string[]
}

/** A setting that is on or off. */
export function Switch({ label, help, value, onChange, isDisabled = false, errors = [] }: SwitchProps) {
  const id = useId()
  const wrong = errors.length > 0
  return (
    <>
      <AriaSwitch
        className={css.switch}
        isSelected={value}
        onChange={onChange}
        isDisabled={isDisabled}
        {...(wrong && { 'aria-describedby': id })}
      >
        <span className={css.track}>
          <span className={css.knob} />
        </span>
        <span className={css.words}>
          {label}
          {help && <span className={css.help}>{help}</span>}
        </span>
      </AriaSwitch>
      {wrong && (
        <span id={id} role="alert" className={field.error}>
          {errors.join(' ')}
        </span>
      )}
    </>
  )
}
