import { Button } from '~/components/button/Button'
import { CopyField } from '~/components/copy/CopyField'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Notice } from '~/components/state/Notice'
import { useFormat, useTexts } from '~/text/context'
import type { Link } from './queries'
import { texts } from './texts'

/** A link to send to somebody, shown once. */
export function LinkDialog({ name, link, onClose }: { name: string; link: Link; onClose: () => void }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <Dialog title={t.linkTitle(name)} isOpen persistent onClose={onClose}>
      <p>{t.linkHelp}</p>
      <CopyField label={t.link} value={link.url} />
      <Notice kind="warning">{t.linkUntil(format.day(link.expires_at))}</Notice>
      <DialogButtons>
        <Button look="primary" onPress={onClose}>
          {t.done}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
