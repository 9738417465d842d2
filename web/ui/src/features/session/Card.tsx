import type { ReactNode } from 'react'
import type { Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { usePageTitle } from '~/components/title'
import { SiteLogo } from '~/features/site/SiteLogo'
import css from './Card.module.css'

interface CardProps {
  title: string
  /** The library, if known. */
  site?: Pick<Schemas['Setup'], 'site_name' | 'logo'> | undefined
  /** For a long text. */
  wide?: boolean
  children: ReactNode
}

/** A page for visitors who are not signed in: a centered card. */
export function Card({ title, site, wide = false, children }: CardProps) {
  usePageTitle(title)
  return (
    <main className={css.page}>
      <div className={wide ? `${css.card} ${css.wide}` : css.card}>
        {site?.logo ? (
          <SiteLogo logo={site.logo} name={site.site_name} />
        ) : (
          <img src={mounted('/icon.svg')} alt="" width={40} height={40} />
        )}
        <div>
          <h1>{title}</h1>
          {site && !site.logo && site.site_name !== 'dal' && <p className={css.site}>{site.site_name}</p>}
        </div>
        {children}
      </div>
    </main>
  )
}
