import {
  ChartLine,
  Copy,
  Folders,
  FolderTree,
  Images,
  MoreHorizontal,
  Settings,
  Share2,
  Trash2,
  UserRound,
} from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { NavLink, useLocation } from 'react-router'
import { mounted } from '~/api/mount'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { useMaySeeUse } from '~/features/analytics/analytics'
import { useRoots } from '~/features/folders/queries'
import { showKeys } from '~/features/keys/KeysHelp'
import { OperationsButton } from '~/features/operations/List'
import { SearchBox } from '~/features/search/SearchBox'
import { useChooseLanguage, useSession, useSignOut } from '~/features/session/session'
import { useMayShare } from '~/features/shares/shares'
import { SiteLogo } from '~/features/site/SiteLogo'
import { UploadButton } from '~/features/upload/UploadButton'
import { useLanguage, useTexts } from '~/text/context'
import css from './Shell.module.css'
import { texts } from './texts'

interface Place {
  to: string
  text: string
  icon: ReactElement
  /** Dropped first where space is limited. */
  isRare?: boolean
}

/** The number of destinations that fit in a row on a phone. */
const mostPlaces = 5

/** The frame of every page: navigation, search box and account. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useTexts(texts)
  const { user, site_name: site, logo } = useSession()
  const signOut = useSignOut()
  const { language } = useLanguage()
  const choose = useChooseLanguage()
  const roots = useRoots()
  const mayShare = useMayShare()
  const maySeeUse = useMaySeeUse()
  const places: Place[] = [
    { to: '/', text: t.library, icon: <Images /> },
    { to: '/collections', text: t.collections, icon: <Folders /> },
    ...(roots.data?.length ? [{ to: '/folders', text: t.folders, icon: <FolderTree /> }] : []),
    { to: '/duplicates', text: t.duplicates, icon: <Copy />, isRare: true },
    ...(mayShare ? [{ to: '/shares', text: t.shares, icon: <Share2 /> }] : []),
    ...(maySeeUse ? [{ to: '/analytics', text: t.analytics, icon: <ChartLine />, isRare: true }] : []),
    { to: '/trash', text: t.trash, icon: <Trash2 />, isRare: true },
    ...(user.role === 'admin' ? [{ to: '/admin', text: t.admin, icon: <Settings />, isRare: true }] : []),
  ]
  const rare = places.length > mostPlaces ? places.filter(p => p.isRare) : []
  return (
    <div className={css.shell}>
      <a href="#content" className={css.skip}>
        {t.toContent}
      </a>
      <header className={css.bar}>
        <NavLink to="/" className={css.mark} aria-label={site}>
          {logo ? (
            <SiteLogo logo={logo} name="" />
          ) : (
            <img src={mounted('/icon.svg')} alt="" width={28} height={28} />
          )}
        </NavLink>
        <SearchBox />
        <span className={css.end}>
          <OperationsButton />
          <UploadButton />
        </span>
        <Menu
          label={t.account}
          button={
            <IconButton label={user.name}>
              <UserRound />
            </IconButton>
          }
        >
          <MenuItem href="/account">{t.account}</MenuItem>
          <MenuItem onAction={() => void choose(language === 'en' ? 'de' : 'en')}>{t.language}</MenuItem>
          <MenuItem keys="?" onAction={showKeys}>
            {t.keys}
          </MenuItem>
          <MenuItem onAction={signOut}>{t.signOut}</MenuItem>
        </Menu>
      </header>
      <nav className={css.side} aria-label={t.main}>
        <ul>
          {places.map(p => (
            <li key={p.to} className={rare.includes(p) ? css.rare : undefined}>
              <NavLink
                to={p.to}
                end={p.to === '/'}
                className={({ isActive }) => (isActive ? `${css.place} ${css.here}` : css.place) ?? ''}
              >
                {p.icon}
                <span>{p.text}</span>
              </NavLink>
            </li>
          ))}
          {rare.length > 0 && (
            <li className={css.rest}>
              <Rest places={rare} />
            </li>
          )}
        </ul>
      </nav>
      <main id="content" className={css.content} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** The destinations that do not fit in a phone's bottom row. */
function Rest({ places }: { places: Place[] }) {
  const t = useTexts(texts)
  const { pathname } = useLocation()
  const isHere = places.some(p => pathname === p.to || pathname.startsWith(`${p.to}/`))
  return (
    <Menu
      label={t.more}
      button={
        <AriaButton className={isHere ? `${css.place} ${css.here}` : css.place}>
          <MoreHorizontal />
          <span>{t.more}</span>
        </AriaButton>
      }
    >
      {places.map(p => (
        <MenuItem key={p.to} href={p.to} icon={p.icon}>
          {p.text}
        </MenuItem>
      ))}
    </Menu>
  )
}
