import { Button } from '~/components/button/Button'
import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { Password } from '~/features/account/Password'
import { Profile } from '~/features/account/Profile'
import { Sessions } from '~/features/account/Sessions'
import { texts } from '~/features/account/texts'
import { useSignOut } from '~/features/session/session'
import { Tokens } from '~/features/tokens/Tokens'
import { useTexts } from '~/text/context'

export default function AccountPage() {
  const t = useTexts(texts)
  const signOut = useSignOut()
  usePageTitle(t.title)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.title}</h1>
        <Button onPress={signOut}>{t.signOut}</Button>
      </div>
      <Profile />
      <Password />
      <Sessions />
      <Tokens />
    </div>
  )
}
