import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, data } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Form } from '~/components/field/Form'
import { PasswordField } from '~/components/field/PasswordField'
import { TextField } from '~/components/field/TextField'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { Card } from './Card'
import css from './Card.module.css'
import { texts } from './texts'

/** The sign-in page; for a library without users, it explains what to do. */
export function SignIn({ onSignedIn }: { onSignedIn: () => Promise<unknown> }) {
  const t = useTexts(texts)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const setup = useQuery({
    queryKey: ['setup'],
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/setup', { signal }))).data,
    staleTime: 0,
  })
  if (setup.data?.is_needed) return <NoUsers />
  return (
    <Card title={t.title} site={setup.data}>
      <Form
        onSubmit={async () => {
          await api.POST('/api/v1/session', { body: { email, password } })
          await onSignedIn()
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
              errors={errors.email ?? []}
            />
            <PasswordField
              label={t.password}
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
              isRequired
              errors={errors.password ?? []}
            />
            <Button type="submit" look="primary" isPending={pending}>
              {t.signIn}
            </Button>
          </>
        )}
      </Form>
      <p className={css.help}>{t.forgotten}</p>
    </Card>
  )
}

function NoUsers() {
  const t = useTexts(texts)
  return (
    <Card title={t.setUp}>
      <Notice kind="info">{t.noUsers}</Notice>
      <p>{t.noUsersHelp}</p>
      <p className={css.help}>{t.noUsersCommand}</p>
      <code className={css.command}>dal user create --email you@example.com --name You --role admin</code>
    </Card>
  )
}
