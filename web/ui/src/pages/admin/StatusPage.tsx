import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { StatusView } from '~/features/status/StatusView'
import { texts } from '~/features/status/texts'
import { useTexts } from '~/text/context'

export default function StatusPage() {
  const t = useTexts(texts)
  usePageTitle(t.status)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.status}</h1>
      </div>
      <StatusView />
    </div>
  )
}
