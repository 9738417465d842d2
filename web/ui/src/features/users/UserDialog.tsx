import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import { LinkDialog } from './LinkDialog'
import { type Link, type Role, type User, useChangeUsers } from './queries'
import { RoleField } from './RoleField'
import { texts } from './texts'

interface UserDialogProps {
  /** The user to edit; null for an invitation. */
  user: User | null
  onClose: () => void
}

/** Invites a user and shows the link, or edits a user. */
export function UserDialog({ user, onClose }: UserDialogProps) {
  const t = useTexts(texts)
  const { invite, change } = useChangeUsers()
  const [name, setName] = useState(user?.name ?? '')
  const [email, setEmail] = useState(user?.email ?? '')
  const [role, setRole] = useState<Role>(user?.role ?? 'editor')
  const [link, setLink] = useState<Link | null>(null)
  if (link) return <LinkDialog name={name} link={link} onClose={onClose} />
  const submit = async () => {
    const body = { name, email, role }
    if (user) {
      await change.mutateAsync({ id: user.id, body })
      onClose()
    } else {
      setLink(await invite.mutateAsync(body))
    }
  }
  return (
    <Dialog title={user ? t.editWhat(user.name) : t.inviteTitle} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.name}
              value={name}
              onChange={setName}
              isRequired
              autoFocus
              autoComplete="off"
              errors={errors.name ?? []}
            />
            <TextField
              label={t.email}
              type="email"
              value={email}
              onChange={setEmail}
              isRequired
              autoComplete="off"
              errors={errors.email ?? []}
            />
            <RoleField value={role} onChange={setRole} errors={errors.role ?? []} />
            {user && user.state === 'active' && role !== user.role && (
              <p role="status">
                {t.roleChange} {role === 'viewer' && t.sharesEnd}
              </p>
            )}
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {user ? t.save : t.inviteButton}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
