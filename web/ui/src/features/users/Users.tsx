import { UserRoundPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { TextField } from '~/components/field/TextField'
import page from '~/components/page.module.css'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import { LinkDialog } from './LinkDialog'
import { type Link, type User, useChangeUsers, useUsers } from './queries'
import { ResetDialog } from './ResetDialog'
import { Row } from './Row'
import { texts } from './texts'
import { UserDialog } from './UserDialog'
import css from './Users.module.css'

/** The user accounts, and actions on them. */
export function Users() {
  const t = useTexts(texts)
  const [q, setQ] = useState('')
  const users = useUsers(q)
  const { change, link } = useChangeUsers()
  const [open, setOpen] = useState<User | 'new' | null>(null)
  const [reset, setReset] = useState<User | null>(null)
  const [made, setMade] = useState<{ name: string; link: Link } | null>(null)
  const list = users.data?.pages.flatMap(p => p.data) ?? []

  const failed = (e: Error) => toast({ text: e.message })
  const disable = (user: User, yes: boolean) =>
    change.mutate(
      { id: user.id, body: { is_disabled: yes } },
      {
        onError: failed,
        onSuccess: () =>
          toast({
            text: yes ? t.isDisabled(user.name) : t.isEnabled(user.name),
            action: { label: t.undo, run: () => disable(user, !yes) },
          }),
      },
    )
  const makeLink = (user: User) =>
    link.mutate({ id: user.id }, { onError: failed, onSuccess: link => setMade({ name: user.name, link }) })

  return (
    <div className={page.page}>
      <div className={page.head}>
        <h1>{t.title}</h1>
        <Button look="primary" onPress={() => setOpen('new')}>
          <UserRoundPlus /> {t.invite}
        </Button>
      </div>
      <div className={css.find}>
        <TextField label={t.find} hideLabel placeholder={t.find} type="search" value={q} onChange={setQ} />
      </div>
      {users.error && <Notice kind="danger">{users.error.message}</Notice>}
      {users.isPending && <Busy label={t.loading} />}
      {users.data && list.length === 0 && <Empty title={t.none} />}
      {list.length > 0 && (
        <ul className={css.list} aria-label={t.title}>
          {list.map(u => (
            <Row
              key={u.id}
              user={u}
              onEdit={() => setOpen(u)}
              onLink={() => (u.state === 'invited' ? makeLink(u) : setReset(u))}
              onDisable={yes => disable(u, yes)}
            />
          ))}
        </ul>
      )}
      {users.hasNextPage && (
        <Button onPress={() => void users.fetchNextPage()} isPending={users.isFetchingNextPage}>
          {t.more}
        </Button>
      )}
      {open && <UserDialog user={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
      {reset && <ResetDialog user={reset} onClose={() => setReset(null)} />}
      {made && <LinkDialog {...made} onClose={() => setMade(null)} />}
    </div>
  )
}
