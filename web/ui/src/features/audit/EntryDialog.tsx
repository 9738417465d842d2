import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Facts } from '~/components/facts/Facts'
import { useFormat, useTexts } from '~/text/context'
import css from './Audit.module.css'
import type { AuditEntry } from './audit'
import { StatusCode, type UserNames, What, Who } from './cells'
import { texts } from './texts'

interface EntryDialogProps {
  entry: AuditEntry
  names: UserNames
  onClose: () => void
}

/** All details of an entry. */
export function EntryDialog({ entry: e, names, onClose }: EntryDialogProps) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <Dialog title={t.entry(format.number(e.id))} isOpen onClose={onClose}>
      <Facts
        list={[
          [t.event, t.events[e.event]],
          [t.time, format.time(e.created_at)],
          [t.who, <Who key="who" entry={e} names={names} />],
          [t.what, <What key="what" entry={e} />],
          [t.statusCode, e.status !== null && <StatusCode key="status" entry={e} />],
          [t.took, e.response_time_ms !== null && t.ms(format.number(e.response_time_ms))],
          [t.address, e.ip],
          [t.request, e.request_id && <span className={css.path}>{e.request_id}</span>],
        ]}
      />
      <DialogButtons>
        <Button look="primary" onPress={onClose}>
          {t.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
