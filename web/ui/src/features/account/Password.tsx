import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Checkbox } from '~/components/field/Checkbox'
import { Form } from '~/components/field/Form'
import { PasswordField } from '~/components/field/PasswordField'
import { toast } from '~/components/toast/Toast'
import { useUser } from '~/features/session/session'
import { useTexts } from '~/text/context'
import css from './Account.module.css'
import { texts } from './texts'

/** A new password for the user's own account. */
export function Password() {
  const t = useTexts(texts)
  const user = useUser()
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [revoke, setRevoke] = useState(false)
  const submit = async () => {
    await api.PUT('/api/v1/user', {
      body: { current_password: current, password: next, revoke_tokens: revoke },
    })
    setCurrent('')
    setNext('')
    setRevoke(false)
    toast({ text: t.changed })
    void client.invalidateQueries({ queryKey: ['sessions'] })
    void client.invalidateQueries({ queryKey: ['tokens'] })
  }
  return (
    <section className={css.section} aria-labelledby="password">
      <h2 id="password">{t.password}</h2>
      <p className={css.help}>{t.passwordHelp}</p>
      <div className={css.form}>
        <Form onSubmit={submit}>
          {({ pending, errors }) => (
            <>
              {/* Password managers look for the associated user name. */}
              <input type="hidden" autoComplete="username" value={user.email} readOnly />
              <PasswordField
                label={t.current}
                autoComplete="current-password"
                value={current}
                onChange={setCurrent}
                isRequired
                errors={errors.current_password ?? []}
              />
              <PasswordField
                label={t.next}
                help={t.nextHelp}
                autoComplete="new-password"
                value={next}
                onChange={setNext}
                isRequired
                errors={errors.password ?? []}
              />
              <Checkbox isSelected={revoke} onChange={setRevoke}>
                {t.revokeTokens}
              </Checkbox>
              <Button type="submit" isPending={pending}>
                {t.change}
              </Button>
            </>
          )}
        </Form>
      </div>
    </section>
  )
}
