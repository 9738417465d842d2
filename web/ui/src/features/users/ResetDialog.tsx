import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Checkbox } from '~/components/field/Checkbox'
import { Form } from '~/components/field/Form'
import { useTexts } from '~/text/context'
import { LinkDialog } from './LinkDialog'
import { type Link, type User, useChangeUsers } from './queries'
import { texts } from './texts'

/** Makes a link for another password, and then shows it. */
export function ResetDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useTexts(texts)
  const { link } = useChangeUsers()
  const [revoke, setRevoke] = useState(false)
  const [made, setMade] = useState<Link | null>(null)
  if (made) return <LinkDialog name={user.name} link={made} onClose={onClose} />
  const submit = async () => setMade(await link.mutateAsync({ id: user.id, revoke }))
  return (
    <Dialog title={t.linkTitle(user.name)} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {({ pending }) => (
          <>
            <p>{t.resetHelp}</p>
            <Checkbox isSelected={revoke} onChange={setRevoke}>
              {t.revokeTokens}
            </Checkbox>
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {t.resetButton}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
