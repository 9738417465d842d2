import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaProps } from 'react-aria-components'
import css from './Checkbox.module.css'

interface CheckboxProps extends Omit<AriaProps, 'className' | 'style' | 'children'> {
  children: ReactNode
}

/** A checkbox with its label. */
export function Checkbox({ children, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className={css.checkbox}>
      <span className={css.box} aria-hidden>
        <Check />
      </span>
      {children}
    </AriaCheckbox>
  )
}
