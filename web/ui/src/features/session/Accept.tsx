import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ApiError, api, data } from '~/api/client'
import { Button, ButtonLink } from '~/components/button/Button'
import { Form } from '~/components/field/Form'
import { PasswordField } from '~/components/field/PasswordField'
import { TextField } from '~/components/field/TextField'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { Card } from './Card'
import { texts } from './texts'

const key = 'invitation'

/** The page of an invitation: sets a password and signs in. */
export function Accept() {
  const t = useTexts(texts)
  const { token = '' } = useParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const path = { token }
  const invitation = useQuery({
    queryKey: [key, token],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/invitations/{token}', { params: { path }, signal }))).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (invitation.isPending) return <Busy label={t.loading} />
  if (!invitation.data) {
    const gone = invitation.error instanceof ApiError && invitation.error.status === 404
    return (
      <Card title={gone ? t.gone : t.chosen}>
        {gone ? <p>{t.goneHelp}</p> : <Notice kind="danger">{invitation.error.message || t.away}</Notice>}
        {!gone && <Button onPress={() => void invitation.refetch()}>{t.again}</Button>}
        <ButtonLink href="/">{t.toSignIn}</ButtonLink>
      </Card>
    )
  }
  return (
    <Card title={t.chosen} site={invitation.data}>
      <p>{t.invited(invitation.data.name)}</p>
      <Form
        onSubmit={async () => {
          await api.POST('/api/v1/invitations/{token}', { params: { path }, body: { password } })
          client.removeQueries({ predicate: q => q.queryKey[0] !== key }) // data loaded by another user
          void navigate('/', { replace: true })
        }}
      >
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.email}
              type="email"
              autoComplete="username"
              value={invitation.data.email}
              isReadOnly
            />
            <PasswordField
              label={t.password}
              help={t.newPassword}
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
              isRequired
              autoFocus
              errors={errors.password ?? []}
            />
            <Button type="submit" look="primary" isPending={pending}>
              {t.accept}
            </Button>
          </>
        )}
      </Form>
    </Card>
  )
}
