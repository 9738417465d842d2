import { ShieldAlert } from 'lucide-react'
import { ButtonLink } from '~/components/button/Button'
import css from '~/components/page.module.css'
import { Empty } from '~/components/state/Empty'
import { usePageTitle } from '~/components/title'
import { AnalyticsView } from '~/features/analytics/AnalyticsView'
import { useMaySeeUse } from '~/features/analytics/analytics'
import { texts } from '~/features/analytics/texts'
import { useTexts } from '~/text/context'

/** The usage analytics page. */
export default function AnalyticsPage() {
  const t = useTexts(texts)
  usePageTitle(t.analytics)
  if (!useMaySeeUse())
    return (
      <Empty icon={<ShieldAlert />} title={t.denied} level={1}>
        <p>{t.deniedHelp}</p>
        <ButtonLink href="/">{t.toLibrary}</ButtonLink>
      </Empty>
    )
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.analytics}</h1>
      </div>
      <p>{t.help}</p>
      <AnalyticsView />
    </div>
  )
}
