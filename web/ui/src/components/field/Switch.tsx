import { Switch as AriaSwitch } from 'react-aria-components'
import css from './Switch.module.css'

interface SwitchProps {
  label: string
  help?: string
  value: boolean
  onChange: (value: boolean) => void
  isDisabled?: boolean
}

/** Something that is on or off. */
export function Switch({ label, help, value, onChange, isDisabled = false }: SwitchProps) {
  return (
    <AriaSwitch className={css.switch} isSelected={value} onChange={onChange} isDisabled={isDisabled}>
      <span className={css.track}>
        <span className={css.knob} />
      </span>
      <span className={css.words}>
        {label}
        {help && <span className={css.help}>{help}</span>}
      </span>
    </AriaSwitch>
  )
}
