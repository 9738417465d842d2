import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { api, data } from '~/api/client'
import { Button, ButtonLink } from '~/components/button/Button'
import { Form } from '~/components/field/Form'
import { PasswordField } from '~/components/field/PasswordField'
import { TextField } from '~/components/field/TextField'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { Card } from './Card'
import { texts } from './texts'

const key = 'setup link'

/** The page of the setup link that an empty library prints: creates the first administrator. */
export function SetUp() {
  const t = useTexts(texts)
  const { token = '' } = useParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const setup = useQuery({
    queryKey: [key],
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/setup', { signal }))).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (setup.data?.is_needed === false) {
    return (
      <Card title={t.setUp} site={setup.data}>
        <Notice kind="info">{t.setUpDone}</Notice>
        <ButtonLink href="/">{t.toSignIn}</ButtonLink>
      </Card>
    )
  }
  return (
    <Card title={t.setUp} site={setup.data}>
      <p>{t.setUpHelp}</p>
      <Form
        onSubmit={async () => {
          await api.POST('/api/v1/setup', { body: { token, name, email, password } })
          client.removeQueries({ predicate: q => q.queryKey[0] !== key }) // this page's own queries would be repeated
          void navigate('/', { replace: true })
        }}
      >
        {({ pending, errors }) => (
          <>
            {errors.token && <Notice kind="danger">{errors.token.join(' ')}</Notice>}
            <TextField
              label={t.name}
              autoComplete="name"
              value={name}
              onChange={setName}
              isRequired
              autoFocus
              errors={errors.name ?? []}
            />
            <TextField
              label={t.email}
              type="email"
              autoComplete="username"
              value={email}
              onChange={setEmail}
              isRequired
              errors={errors.email ?? []}
            />
            <PasswordField
              label={t.password}
              help={t.newPassword}
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
              isRequired
              errors={errors.password ?? []}
            />
            <Button type="submit" look="primary" isPending={pending}>
              {t.setUpButton}
            </Button>
          </>
        )}
      </Form>
    </Card>
  )
}
