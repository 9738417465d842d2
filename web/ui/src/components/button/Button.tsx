import type { ReactNode } from 'react'
import {
  Button as AriaButton,
  Link as AriaLink,
  type ButtonProps as AriaProps,
  type LinkProps,
} from 'react-aria-components'
import css from './Button.module.css'
import { Hint } from './Hint'

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

function classes(look: Look, extra?: string) {
  return [css.button, look !== 'plain' && css[look], extra].filter(Boolean).join(' ')
}

interface ButtonProps extends Omit<AriaProps, 'className' | 'style'> {
  look?: Look
  className?: string
}

/** A button with text; `isPending` shows that its action is in progress. */
export function Button({ look = 'plain', className, ...props }: ButtonProps) {
  return <AriaButton {...props} className={classes(look, className)} />
}

/** A link that looks like a button. */
export function ButtonLink({
  look = 'plain',
  ...props
}: Omit<LinkProps, 'className' | 'style'> & { look?: Look }) {
  return <AriaLink {...props} className={classes(look)} />
}

interface IconButtonProps extends Omit<ButtonProps, 'aria-label' | 'children'> {
  /** Its action, for screen readers and as a tooltip. */
  label: string
  /** A word of the label, displayed below the icon where there is room. */
  word?: string
  children: ReactNode
}

/** A button with an icon and, on wide screens, an optional word below it. */
export function IconButton({ label, word, look = 'quiet', className, children, ...props }: IconButtonProps) {
  return (
    <Hint text={label}>
      <AriaButton
        {...props}
        aria-label={label}
        className={classes(look, [css.icon, word && css.worded, className].filter(Boolean).join(' '))}
      >
        {children}
        {word && <span className={css.word}>{word}</span>}
      </AriaButton>
    </Hint>
  )
}
