import { SearchX, ShieldAlert } from 'lucide-react'
import { Link, Route, Routes, useParams } from 'react-router'
import { ApiError } from '~/api/client'
import { ButtonLink } from '~/components/button/Button'
import css from '~/components/page.module.css'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { usePageTitle } from '~/components/title'
import { AskButton } from '~/features/shares/AskButton'
import { ShareList } from '~/features/shares/ShareList'
import { ShareMenu } from '~/features/shares/ShareMenu'
import { ShareView } from '~/features/shares/ShareView'
import { useMayShare, useShare } from '~/features/shares/shares'
import { texts } from '~/features/shares/texts'
import { useTexts } from '~/text/context'

/** The list of shares, and each share. */
export default function SharesPage() {
  if (!useMayShare()) return <Denied />
  return (
    <Routes>
      <Route index element={<All />} />
      <Route path=":share" element={<One />} />
    </Routes>
  )
}

function All() {
  const t = useTexts(texts)
  usePageTitle(t.shares)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.shares}</h1>
        <AskButton />
      </div>
      <p>{t.help}</p>
      <ShareList />
    </div>
  )
}

function One() {
  const t = useTexts(texts)
  const id = Number(useParams().share)
  const { data: share, error } = useShare(id)
  usePageTitle(share?.name ?? t.shares)
  if (error instanceof ApiError && error.status < 500 && error.status >= 400) return <Missing />
  return (
    <div className={css.page}>
      <nav className={css.trail} aria-label={t.shares}>
        <Link to="/shares">{t.shares}</Link>
      </nav>
      <div className={css.head}>
        <h1>{share?.name ?? t.shares}</h1>
        {share && <ShareMenu share={share} />}
      </div>
      {error && <Notice kind="danger">{error.message}</Notice>}
      {!share && !error && <Busy label={t.loading} />}
      {share && <ShareView share={share} />}
    </div>
  )
}

function Missing() {
  const t = useTexts(texts)
  return (
    <Empty icon={<SearchX />} title={t.missing} level={1}>
      <p>{t.missingHelp}</p>
      <ButtonLink href="/shares">{t.shares}</ButtonLink>
    </Empty>
  )
}

function Denied() {
  const t = useTexts(texts)
  usePageTitle(t.shares)
  return (
    <Empty icon={<ShieldAlert />} title={t.denied} level={1}>
      <p>{t.deniedHelp}</p>
      <ButtonLink href="/">{t.toLibrary}</ButtonLink>
    </Empty>
  )
}
