import { ShieldAlert } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Navigate, NavLink, Route, Routes, useLocation } from 'react-router'
import { ButtonLink } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { usePageTitle } from '~/components/title'
import { useSession } from '~/features/session/session'
import { useTexts } from '~/text/context'
import css from './AdminPage.module.css'
import { places } from './places'
import { texts } from './texts'

const pages = places.map(p => ({ ...p, Page: lazy(p.load) }))

/** The administration: a list of its pages, and the open one. */
export default function AdminPage() {
  const t = useTexts(texts)
  const { user } = useSession()
  const nav = useShown()
  if (user.role !== 'admin') return <Denied />
  return (
    <div className={css.split}>
      <nav ref={nav} className={css.side} aria-label={t.places}>
        <ul>
          {places.map(p => (
            <li key={p.name}>
              <NavLink
                to={`/admin/${p.name}`}
                className={({ isActive }) => (isActive ? `${css.place} ${css.here}` : css.place) ?? ''}
              >
                {p.icon}
                {t[p.name]}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <div className={css.page}>
        <Suspense fallback={<Busy label={t.loading} />}>
          <Routes>
            <Route index element={<Navigate to={`/admin/${places[0]?.name}`} replace />} />
            {pages.map(({ name, Page }) => (
              <Route key={name} path={`${name}/*`} element={<Page />} />
            ))}
            <Route path="*" element={<NoPage />} />
          </Routes>
        </Suspense>
      </div>
    </div>
  )
}

/** On a phone the list is a row wider than the page: scrolls to the open page. */
function useShown() {
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    const here = nav.current?.querySelector(`[href$="/admin/${pathname.split('/')[2]}"]`)
    here?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return nav
}

function Denied() {
  const t = useTexts(texts)
  usePageTitle(t.title)
  return (
    <>
      <h1 className="visually-hidden">{t.title}</h1>
      <Empty icon={<ShieldAlert />} title={t.denied}>
        <p>{t.deniedHelp}</p>
        <ButtonLink href="/">{t.toLibrary}</ButtonLink>
      </Empty>
    </>
  )
}

function NoPage() {
  const t = useTexts(texts)
  usePageTitle(t.title)
  return (
    <>
      <h1 className="visually-hidden">{t.title}</h1>
      <Empty title={t.noPage} />
    </>
  )
}
