import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { useUser } from '~/features/session/session'
import { Tokens } from '~/features/tokens/Tokens'
import { texts } from '~/features/tokens/texts'
import { useTexts } from '~/text/context'

export default function AccountPage() {
  const t = useTexts(texts)
  const user = useUser()
  usePageTitle(t.account)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{user.name}</h1>
        <span>{user.email}</span>
      </div>
      <Tokens />
    </div>
  )
}
