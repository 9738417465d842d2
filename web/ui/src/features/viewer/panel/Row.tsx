import { type ReactNode, useState } from 'react'
import { Button } from '~/components/button/Button'
import { useTexts } from '~/text/context'
import css from './Panel.module.css'
import { texts } from './texts'
import type { Conflict } from './useEditable'

/** A fact with its name. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={css.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A collapsible section of the panel. */
export function Part({
  title,
  children,
  open = true,
}: {
  title: string
  children: ReactNode
  open?: boolean
}) {
  const [isOpen, setOpen] = useState(open)
  return (
    <details className={css.part} open={isOpen} onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {isOpen && <div className={css.inside}>{children}</div>}
    </details>
  )
}

/** Names the user who changed the value first, and asks which value to keep. */
export function ConflictNote({ conflict, theirs }: { conflict: Conflict | null; theirs: string }) {
  const t = useTexts(texts)
  if (!conflict) return null
  return (
    <div role="alert" className={css.conflict}>
      <p>
        {t.changedMeanwhile(conflict.by ?? t.somebody)} <q>{theirs || t.nothing}</q>
      </p>
      <div className={css.choices}>
        <Button onPress={conflict.takeTheirs}>{t.takeTheirs}</Button>
        <Button look="primary" onPress={conflict.keepMine}>
          {t.keepMine}
        </Button>
      </div>
    </div>
  )
}
