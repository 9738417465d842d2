import type { ReactNode } from 'react'
import { usePageTitle } from '~/components/title'
import css from './Card.module.css'

interface CardProps {
  title: string
  site?: string
  /** For a long text. */
  wide?: boolean
  children: ReactNode
}

/** A page for who is not signed in: a card in its middle. */
export function Card({ title, site, wide = false, children }: CardProps) {
  usePageTitle(title)
  return (
    <main className={css.page}>
      <div className={wide ? `${css.card} ${css.wide}` : css.card}>
        <img src="/icon.svg" alt="" width={40} height={40} />
        <div>
          <h1>{title}</h1>
          {site && site !== 'dal' && <p className={css.site}>{site}</p>}
        </div>
        {children}
      </div>
    </main>
  )
}
