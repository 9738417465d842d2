import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Checkbox, CheckboxGroup, Label } from 'react-aria-components'
import { api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { CopyField } from '~/components/copy/CopyField'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { DateField } from '~/components/field/DateFields'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { Table } from '~/components/table/Table'
import { toast } from '~/components/toast/Toast'
import { useUser } from '~/features/session/session'
import { useFormat, useTexts } from '~/text/context'
import css from './Tokens.module.css'
import { texts } from './texts'

type Token = Schemas['Token']
type Ability = Schemas['Ability']

const key = ['tokens'] as const
const abilities: readonly Ability[] = [
  'assets:read',
  'assets:write',
  'assets:delete',
  'assets:download',
  'collections:read',
  'collections:write',
  'collections:delete',
  'uploads:manage',
  'metadata:read',
  'metadata:write',
  'shares:read',
  'shares:manage',
  'analytics:read',
  'consents:read',
]

/** The user's API tokens: their abilities and last use, with buttons to create and revoke them. */
export function Tokens() {
  const t = useTexts(texts)
  const format = useFormat()
  const client = useQueryClient()
  const [creating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<Token | null>(null)
  const [limiting, setLimiting] = useState<Token | null>(null)
  const isAdmin = useUser().role === 'admin'
  const onSuccess = () => client.invalidateQueries({ queryKey: key })
  const tokens = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/tokens', { params: { query: { per_page: 100, own: 'true' } }, signal })))
        .data,
  })
  const revoke = useMutation({
    mutationFn: (id: string) =>
      api.DELETE('/api/v1/tokens/{token}', { params: { path: { token: Number(id) } } }),
    onError: e => toast({ text: e.message }),
    onSettled: () => {
      setRevoking(null)
      return onSuccess()
    },
  })
  const expiry = (at: string | null) => {
    if (!at) return t.never
    return new Date(at) < new Date() ? t.expired(format.day(at)) : format.day(at)
  }
  return (
    <section className={css.section}>
      <div className={css.head}>
        <h2>{t.tokens}</h2>
        <Button onPress={() => setCreating(true)}>
          <Plus /> {t.create}
        </Button>
      </div>
      <p className={css.help}>{t.help}</p>
      {tokens.error && <Notice kind="danger">{tokens.error.message}</Notice>}
      {tokens.isPending && <Busy label={t.loading} />}
      {tokens.data?.length === 0 && <p>{t.none}</p>}
      {tokens.data && tokens.data.length > 0 && (
        <Table
          label={t.tokens}
          rows={tokens.data}
          id={row => row.id}
          columns={[
            { head: t.name, cell: row => row.name },
            { head: t.abilities, cell: row => row.abilities.split(',').join(', ') },
            { head: t.used, cell: row => (row.last_used_at ? format.time(row.last_used_at) : t.never) },
            { head: t.expires, cell: row => expiry(row.expires_at) },
            { head: t.rate, cell: row => row.rate_limit ?? t.usual },
            {
              head: '',
              end: true,
              cell: row => (
                <>
                  {isAdmin && (
                    <Button look="quiet" onPress={() => setLimiting(row)}>
                      {t.limit}
                    </Button>
                  )}
                  <Button look="quiet" onPress={() => setRevoking(row)}>
                    {t.revoke}
                  </Button>
                </>
              ),
            },
          ]}
        />
      )}
      {creating && <NewToken onClose={() => setCreating(false)} onCreated={onSuccess} />}
      {limiting && <RateDialog token={limiting} onClose={() => setLimiting(null)} onSaved={onSuccess} />}
      {revoking && (
        <Dialog title={t.revokeWhat(revoking.name)} isOpen onClose={() => setRevoking(null)}>
          <p>{t.revokeHelp}</p>
          <DialogButtons>
            <Button onPress={() => setRevoking(null)}>{t.cancel}</Button>
            <Button look="danger" isPending={revoke.isPending} onPress={() => revoke.mutate(revoking.id)}>
              {t.revoke}
            </Button>
          </DialogButtons>
        </Dialog>
      )}
    </section>
  )
}

function RateDialog({ token, onClose, onSaved }: { token: Token; onClose: () => void; onSaved: () => void }) {
  const t = useTexts(texts)
  const [rate, setRate] = useState(token.rate_limit?.toString() ?? '')
  const submit = async () => {
    await data(
      api.PUT('/api/v1/tokens/{token}', {
        params: { path: { token: Number(token.id) } },
        body: { rate_limit: rate ? Number(rate) : null },
      }),
    )
    onSaved()
    onClose()
  }
  return (
    <Dialog title={t.limitOf(token.name)} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.rate}
              help={t.rateHelp}
              inputMode="numeric"
              value={rate}
              onChange={setRate}
              autoFocus
              errors={errors.rate_limit ?? []}
            />
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {t.save}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function NewToken({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const t = useTexts(texts)
  const [name, setName] = useState('')
  const [may, setMay] = useState<Ability[]>(['assets:read', 'assets:download'])
  const [until, setUntil] = useState('')
  const [made, setMade] = useState('')
  const submit = async () => {
    const body = { name, abilities: may, expires_at: until ? `${until}T00:00:00Z` : null }
    const answer = await data(api.POST('/api/v1/tokens', { body }))
    setMade(answer.data.plain_text_token)
    onCreated()
  }
  return (
    <Dialog title={t.create} isOpen onClose={onClose}>
      {made ? (
        <>
          <Notice kind="warning">{t.once}</Notice>
          <CopyField label={t.token} value={made} />
          <DialogButtons>
            <Button look="primary" onPress={onClose}>
              {t.done}
            </Button>
          </DialogButtons>
        </>
      ) : (
        <Form onSubmit={submit}>
          {({ pending, errors }) => (
            <>
              <TextField
                label={t.name}
                value={name}
                onChange={setName}
                isRequired
                autoFocus
                errors={errors.name ?? []}
              />
              <CheckboxGroup value={may} onChange={v => setMay(v as Ability[])} className={css.abilities}>
                <Label className={css.label}>{t.abilities}</Label>
                {abilities.map(a => (
                  <Checkbox key={a} value={a} className={css.ability}>
                    <span className={css.box} aria-hidden />
                    {a}
                  </Checkbox>
                ))}
              </CheckboxGroup>
              <DateField
                label={t.expiresOn}
                help={t.noEnd}
                value={until}
                onChange={setUntil}
                errors={errors.expires_at ?? []}
              />
              <DialogButtons>
                <Button onPress={onClose}>{t.cancel}</Button>
                <Button type="submit" look="primary" isPending={pending} isDisabled={may.length === 0}>
                  {t.create}
                </Button>
              </DialogButtons>
            </>
          )}
        </Form>
      )}
    </Dialog>
  )
}
