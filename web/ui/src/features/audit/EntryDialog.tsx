import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { useFormat, useTexts } from '~/text/context'
import css from './Audit.module.css'
import { StatusCode, type UserNames, What, Who } from './AuditLog'
import type { AuditEntry } from './audit'
import { texts } from './texts'

interface EntryDialogProps {
  entry: AuditEntry
  names: UserNames
  onClose: () => void
}

/** All that is known of one entry. */
export function EntryDialog({ entry: e, names, onClose }: EntryDialogProps) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <Dialog title={t.entry(format.number(e.id))} isOpen onClose={onClose}>
      <dl className={css.facts}>
        <dt>{t.event}</dt>
        <dd>{t.events[e.event]}</dd>
        <dt>{t.time}</dt>
        <dd>{format.time(e.created_at)}</dd>
        <dt>{t.who}</dt>
        <dd>
          <Who entry={e} names={names} />
        </dd>
        <dt>{t.what}</dt>
        <dd>
          <What entry={e} />
        </dd>
        {e.status !== null && (
          <>
            <dt>{t.statusCode}</dt>
            <dd>
              <StatusCode entry={e} />
            </dd>
          </>
        )}
        {e.response_time_ms !== null && (
          <>
            <dt>{t.took}</dt>
            <dd>{t.ms(format.number(e.response_time_ms))}</dd>
          </>
        )}
        {e.ip && (
          <>
            <dt>{t.address}</dt>
            <dd>{e.ip}</dd>
          </>
        )}
        {e.request_id && (
          <>
            <dt>{t.request}</dt>
            <dd className={css.path}>{e.request_id}</dd>
          </>
        )}
      </dl>
      <DialogButtons>
        <Button look="primary" onPress={onClose}>
          {t.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
