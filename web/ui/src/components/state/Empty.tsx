import type { ReactNode } from 'react'
import css from './State.module.css'

interface EmptyProps {
  icon?: ReactNode
  title: string
  /** The level of its heading: 1 if it fills the page. */
  level?: 1 | 2
  children?: ReactNode
}

/** Replaces an empty list: explains why it is empty, and what to do. */
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
