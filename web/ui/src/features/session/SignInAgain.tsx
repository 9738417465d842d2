import { useState } from 'react'
import { api, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { PasswordField } from '~/components/field/PasswordField'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import { texts } from './texts'

interface SignInAgainProps {
  user: Schemas['Account']
  onSignedIn: () => void
}

/** Asks for the password above the current page when the session has ended. */
export function SignInAgain({ user, onSignedIn }: SignInAgainProps) {
  const t = useTexts(texts)
  const [password, setPassword] = useState('')
  return (
    <Dialog title={t.ended} isOpen persistent onClose={() => {}}>
      <p>{t.endedHelp}</p>
      <Form
        onSubmit={async () => {
          await api.POST('/api/v1/session', { body: { email: user.email, password } })
          onSignedIn()
        }}
      >
        {({ pending, errors }) => (
          <>
            <TextField label={t.email} type="email" autoComplete="username" value={user.email} isReadOnly />
            <PasswordField
              label={t.password}
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
              isRequired
              autoFocus
              errors={errors.password ?? errors.email ?? []}
            />
            <DialogButtons>
              <Button look="quiet" onPress={() => window.location.reload()}>
                {t.other}
              </Button>
              <Button type="submit" look="primary" isPending={pending}>
                {t.signIn}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
