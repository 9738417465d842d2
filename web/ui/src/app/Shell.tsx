import {
  ChartLine,
  Copy,
  Folders,
  FolderTree,
  Images,
  Settings,
  Share2,
  Trash2,
  UserRound,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { isNarrow } from '~/components/narrow'
import { useMaySeeUse } from '~/features/analytics/analytics'
import { useRoots } from '~/features/folders/folders'
import { showKeys } from '~/features/keys/KeysHelp'
import { OperationsButton } from '~/features/operations/List'
import { SearchBox } from '~/features/search/SearchBox'
import { useChooseLanguage, useSignOut, useUser } from '~/features/session/session'
import { useMayShare } from '~/features/shares/shares'
import { UploadButton } from '~/features/upload/UploadButton'
import { useLanguage, useTexts } from '~/text/context'
import css from './Shell.module.css'
import { texts } from './texts'

/** What every page has around it: the places to go, the search box, the account. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useTexts(texts)
  const user = useUser()
  const signOut = useSignOut()
  const { language } = useLanguage()
  const choose = useChooseLanguage()
  const roots = useRoots()
  const mayShare = useMayShare()
  const maySeeUse = useMaySeeUse()
  const places = [
    { to: '/', text: t.library, icon: <Images /> },
    { to: '/collections', text: t.collections, icon: <Folders /> },
    ...(roots.data?.length ? [{ to: '/folders', text: t.folders, icon: <FolderTree /> }] : []),
    { to: '/duplicates', text: t.duplicates, icon: <Copy /> },
    ...(mayShare ? [{ to: '/shares', text: t.shares, icon: <Share2 />, isWide: true }] : []),
    ...(maySeeUse ? [{ to: '/analytics', text: t.analytics, icon: <ChartLine />, isWide: true }] : []),
    { to: '/trash', text: t.trash, icon: <Trash2 /> },
    ...(user.role === 'admin' ? [{ to: '/admin', text: t.admin, icon: <Settings /> }] : []),
  ]
  return (
    <div className={css.shell}>
      <a href="#content" className={css.skip}>
        {t.toContent}
      </a>
      <header className={css.bar}>
        <NavLink to="/" className={css.mark} aria-label="dal">
          <img src="/icon.svg" alt="" width={28} height={28} />
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
          {mayShare && <Narrow to="/shares">{t.shares}</Narrow>}
          {maySeeUse && <Narrow to="/analytics">{t.analytics}</Narrow>}
          <MenuItem href="/account">{t.account}</MenuItem>
          <MenuItem onAction={() => void choose(language === 'en' ? 'de' : 'en')}>{t.language}</MenuItem>
          <MenuItem keys="?" onAction={showKeys}>
            {t.keys}
          </MenuItem>
          <MenuItem onAction={() => void signOut()}>{t.signOut}</MenuItem>
        </Menu>
      </header>
      <nav className={css.side} aria-label={t.main}>
        <ul>
          {places.map(p => (
            <li key={p.to} className={p.isWide ? css.wide : undefined}>
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
        </ul>
      </nav>
      <main id="content" className={css.content} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** A place that the row at a phone's foot has no room for. */
function Narrow({ to, children }: { to: string; children: string }) {
  return isNarrow() ? <MenuItem href={to}>{children}</MenuItem> : null
}
