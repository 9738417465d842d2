import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { useTexts } from '~/text/context'
import { texts } from './texts'

export default function UsersPage() {
  const t = useTexts(texts)
  usePageTitle(t.users)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.users}</h1>
      </div>
    </div>
  )
}
