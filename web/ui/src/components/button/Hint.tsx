import type { ReactElement } from 'react'
import { Tooltip, TooltipTrigger } from 'react-aria-components'
import css from './Hint.module.css'

/** A short explanation of a control, shown on hover and focus. */
export function Hint({ text, children }: { text: string; children: ReactElement }) {
  return (
    <TooltipTrigger delay={500}>
      {children}
      <Tooltip className={css.hint} offset={6}>
        {text}
      </Tooltip>
    </TooltipTrigger>
  )
}
