import type { ReactNode } from 'react'
import { usePageTitle } from '~/components/title'
import css from './Card.module.css'

/** A page for who is not signed in: a card in its middle. */
export function Card({ title, site, children }: { title: string; site?: string; children: ReactNode }) {
  usePageTitle(title)
  return (
    <main className={css.page}>
      <div className={css.card}>
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
