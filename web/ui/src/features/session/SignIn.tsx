import { useState } from 'react'
import { api } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { usePageTitle } from '~/components/title'
import { useTexts } from '~/text/context'
import css from './SignIn.module.css'
import { texts } from './texts'

export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useTexts(texts)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  usePageTitle(t.title)
  return (
    <main className={css.page}>
      <div className={css.card}>
        <img src="/icon.svg" alt="" width={40} height={40} />
        <h1>{t.title}</h1>
        <Form
          onSubmit={async () => {
            await api.POST('/api/v1/session', { body: { email, password } })
            onSignedIn()
          }}
        >
          {({ pending, errors }) => (
            <>
              <TextField
                label={t.email}
                type="email"
                autoComplete="username"
                value={email}
                onChange={setEmail}
                isRequired
                autoFocus
                {...(errors.email ? { errors: errors.email } : {})}
              />
              <TextField
                label={t.password}
                type="password"
                autoComplete="current-password"
                value={password}
                onChange={setPassword}
                isRequired
                {...(errors.password ? { errors: errors.password } : {})}
              />
              <Button type="submit" look="primary" isPending={pending}>
                {t.signIn}
              </Button>
            </>
          )}
        </Form>
      </div>
    </main>
  )
}
