import { ExternalLink } from 'lucide-react'
import { Button, ButtonLink } from '~/components/button/Button'
import { CopyField } from '~/components/copy/CopyField'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { local } from '~/features/assets/Thumbnail'
import { useTexts } from '~/text/context'
import css from './Shares.module.css'
import type { Share } from './shares'
import { texts } from './texts'

/** The link of a share, to copy and to open. */
export function LinkDialog({ share, onClose }: { share: Share; onClose: () => void }) {
  const t = useTexts(texts)
  return (
    <Dialog title={t.linkTitle} isOpen onClose={onClose}>
      <LinkOf share={share} onClose={onClose} />
    </Dialog>
  )
}

/** The content of the link dialog. */
export function LinkOf({ share, onClose }: { share: Share; onClose: () => void }) {
  const t = useTexts(texts)
  return (
    <>
      <p role="status">{share.has_password ? t.linkHelpPassword : t.linkHelp}</p>
      <CopyField label={t.link} value={share.url} />
      <div className={css.guest}>
        <ButtonLink href={local(share.url)} target="_blank">
          <ExternalLink /> {t.openAsGuest}
        </ButtonLink>
        <span className={css.soft}>{t.guestHelp}</span>
      </div>
      <DialogButtons>
        <Button look="primary" onPress={onClose} autoFocus>
          {t.close}
        </Button>
      </DialogButtons>
    </>
  )
}
