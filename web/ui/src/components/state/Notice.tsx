import type { ReactNode } from 'react'
import css from './State.module.css'

/** A message in its place; dangers are read out at once. */
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
