import { Link, Route, Routes, useParams } from 'react-router'
import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { texts } from '~/features/webhooks/texts'
import { WebhookList } from '~/features/webhooks/WebhookList'
import { WebhookView } from '~/features/webhooks/WebhookView'
import { useWebhook } from '~/features/webhooks/webhooks'
import { useTexts } from '~/text/context'

export default function WebhooksPage() {
  return (
    <Routes>
      <Route index element={<All />} />
      <Route path=":webhook" element={<One />} />
    </Routes>
  )
}

function All() {
  const t = useTexts(texts)
  usePageTitle(t.webhooks)
  return (
    <div className={css.page}>
      <WebhookList />
    </div>
  )
}

function One() {
  const t = useTexts(texts)
  const id = Number(useParams().webhook)
  const title = useWebhook(id).data?.url ?? t.webhooks
  usePageTitle(title)
  return (
    <div className={css.page}>
      <nav className={css.trail} aria-label={t.webhooks}>
        <Link to="/admin/webhooks">{t.webhooks}</Link>
      </nav>
      <div className={css.head}>
        <h1>{title}</h1>
      </div>
      <WebhookView id={id} key={id} />
    </div>
  )
}
