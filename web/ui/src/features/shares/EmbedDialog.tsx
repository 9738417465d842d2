import { ExternalLink } from 'lucide-react'
import { useEffect } from 'react'
import { Button, ButtonLink } from '~/components/button/Button'
import { CopyField } from '~/components/copy/CopyField'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Notice } from '~/components/state/Notice'
import { local } from '~/features/assets/Thumbnail'
import { useFormat, useTexts } from '~/text/context'
import css from './Shares.module.css'
import { useEmbed } from './shares'
import { texts } from './texts'

/** The code that puts a video on other pages; there is one as soon as the dialog is open. */
export function EmbedDialog(props: { gaid: string; title: string; onClose: () => void }) {
  const t = useTexts(texts)
  const format = useFormat()
  const make = useEmbed(props.gaid)
  const begin = make.mutate
  useEffect(() => begin(), [begin])
  const embed = make.data
  return (
    <Dialog title={t.embedNamed(props.title)} isOpen onClose={props.onClose}>
      {make.isError && <Notice kind="danger">{t.embedFailed}</Notice>}
      {embed && (
        <>
          <p role="status">{t.embedHelp(format.day(embed.expires_at))}</p>
          <CopyField label={t.embedCode} value={embed.html} />
          <CopyField label={t.link} value={embed.url} />
          <div className={css.guest}>
            <ButtonLink href={local(embed.url)} target="_blank">
              <ExternalLink /> {t.openPlayer}
            </ButtonLink>
            <span className={css.soft}>{t.embedViews(embed.view_count)}</span>
          </div>
        </>
      )}
      <DialogButtons>
        <Button look="primary" onPress={props.onClose}>
          {t.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
