import type { ReactNode } from 'react'
import css from './State.module.css'

interface EmptyProps {
  icon?: ReactNode
  title: string
  /** Of its heading: 1 where it is all that a page has. */
  level?: 1 | 2
  children?: ReactNode
}

/** What stands where a list would be: why it is empty, and what to do. */
export function Empty({ icon, title, level = 2, children }: EmptyProps) {
  const Title = level === 1 ? 'h1' : 'h2'
  return (
    <div className={css.empty}>
      {icon}
      <Title>{title}</Title>
      {children}
    </div>
  )
}
