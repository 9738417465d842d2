import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { LogoView } from '~/features/site/LogoView'
import { useTexts } from '~/text/context'
import { texts } from './texts'

export default function SitePage() {
  const t = useTexts(texts)
  usePageTitle(t.site)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.site}</h1>
      </div>
      <LogoView />
    </div>
  )
}
