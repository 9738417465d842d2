import type { ReactNode } from 'react'
import css from './State.module.css'

interface EmptyProps {
  icon?: ReactNode
  title: string
  children?: ReactNode
}

/** What stands where a list would be: why it is empty, and what to do. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div className={css.empty}>
      {icon}
      <h2>{title}</h2>
      {children}
    </div>
  )
}
