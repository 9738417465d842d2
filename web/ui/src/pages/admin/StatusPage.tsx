import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { StatusView } from '~/features/status/StatusView'
import { texts } from '~/features/status/texts'
import { useTexts } from '~/text/context'

export default function StatusPage() {
  const t = useTexts(texts)
  usePageTitle(t.status)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a page that scrolls and has nothing to press has to be reached by keyboard
    <div className={css.page} role="region" aria-label={t.status} tabIndex={0}>
      <div className={css.head}>
        <h1>{t.status}</h1>
      </div>
      <StatusView />
    </div>
  )
}
