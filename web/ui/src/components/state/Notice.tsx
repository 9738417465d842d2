import type { ReactNode } from 'react'
import css from './State.module.css'

/** An inline message; errors are announced immediately. */
export function Notice({
  kind,
  children,
}: {
  kind: 'info' | 'danger' | 'warning' | 'success'
  children: ReactNode
}) {
  return (
    <div
      role={kind === 'danger' ? 'alert' : 'status'}
      className={[css.notice, kind !== 'info' && css[kind]].filter(Boolean).join(' ')}
    >
      {children}
    </div>
  )
}
