import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { Button, ButtonLink } from '~/components/button/Button'
import { CopyField } from '~/components/copy/CopyField'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { DateField } from '~/components/field/DateFields'
import { Form } from '~/components/field/Form'
import { Switch } from '~/components/field/Switch'
import { TextField } from '~/components/field/TextField'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { local } from '~/features/assets/Thumbnail'
import { useFormat, useTexts } from '~/text/context'
import { type Embed, useChangeEmbed, useEmbed } from './embeds'
import { dayOf, endOf, itemsOf, messagesOfItems } from './form'
import css from './Shares.module.css'
import { texts } from './texts'

/** The embed code of a video: creates it, sets its allowed sites, and revokes it. */
export function EmbedDialog(props: { gaid: string; title: string; onClose: () => void }) {
  const t = useTexts(texts)
  const embed = useEmbed(props.gaid)
  const { revoke } = useChangeEmbed(props.gaid)
  const [revoking, setRevoking] = useState(false)
  return (
    <>
      <Dialog title={t.embedNamed(props.title)} isOpen onClose={props.onClose}>
        {embed.isPending && <Busy label={t.loading} />}
        {embed.error && <Notice kind="danger">{embed.error.message}</Notice>}
        {embed.data && <Code embed={embed.data} />}
        {embed.data === null && <p role="status">{t.embedNone}</p>}
        {embed.data !== undefined && (
          <Fields
            key={embed.data?.id ?? 0}
            gaid={props.gaid}
            embed={embed.data}
            onRevoke={() => setRevoking(true)}
            onClose={props.onClose}
          />
        )}
      </Dialog>
      {revoking && (
        <ConfirmDialog
          title={t.embedRevokeNamed(props.title)}
          action={t.revoke}
          onClose={() => setRevoking(false)}
          onConfirm={async () => {
            await revoke.mutateAsync()
            toast({ text: t.embedRevoked })
          }}
        >
          <p>{t.embedRevokeHelp}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Code({ embed }: { embed: Embed }) {
  const t = useTexts(texts)
  const format = useFormat()
  const { allowed_origins: sites } = embed
  const day = format.day(embed.expires_at)
  return (
    <>
      <p role="status">{sites.length > 0 ? t.embedHelpSites(day, format.list(sites)) : t.embedHelp(day)}</p>
      <CopyField label={t.embedCode} value={embed.html} />
      <CopyField label={t.link} value={embed.url} />
      <div className={css.guest}>
        <ButtonLink href={local(embed.url)} target="_blank">
          <ExternalLink /> {t.openPlayer}
        </ButtonLink>
        <span className={css.soft}>{format.plural(embed.view_count, t.oneEmbedView, t.embedViews)}</span>
      </div>
    </>
  )
}

interface FieldsProps {
  gaid: string
  embed: Embed | null
  onRevoke: () => void
  onClose: () => void
}

/** The allowed sites and the expiry of an embed code, and the button that creates it. */
function Fields({ gaid, embed, onRevoke, onClose }: FieldsProps) {
  const t = useTexts(texts)
  const { make } = useChangeEmbed(gaid)
  const before = embed ? dayOf(embed.expires_at) : ''
  const [sites, setSites] = useState(() => (embed?.allowed_origins ?? []).join('\n'))
  const [endsOn, setEndsOn] = useState(before)
  const [autoplay, setAutoplay] = useState(embed?.autoplay ?? false)
  const save = async () => {
    await make.mutateAsync({
      allowed_origins: itemsOf(sites),
      autoplay,
      ...(endsOn && endsOn !== before && { expires_at: endOf(endsOn) }),
    })
    if (embed) toast({ text: t.embedSaved })
  }
  return (
    <Form onSubmit={save}>
      {({ pending, errors }) => (
        <div className={css.fields}>
          <TextField
            label={t.embedSites}
            help={t.embedSitesHelp}
            long
            value={sites}
            onChange={setSites}
            errors={messagesOfItems(errors, 'allowed_origins', sites, t.item)}
          />
          <DateField
            label={t.endsOn}
            help={embed ? t.embedEndsHelp : t.embedNewEndsHelp}
            value={endsOn}
            onChange={setEndsOn}
            errors={errors.expires_at ?? []}
          />
          <Switch
            label={t.embedAutoplay}
            help={t.embedAutoplayHelp}
            value={autoplay}
            onChange={setAutoplay}
          />
          <DialogButtons>
            {embed && (
              <Button look="quiet" onPress={onRevoke}>
                {t.revokeMore}
              </Button>
            )}
            <Button onPress={onClose}>{t.close}</Button>
            <Button type="submit" look="primary" isPending={pending}>
              {embed ? t.save : t.embedMake}
            </Button>
          </DialogButtons>
        </div>
      )}
    </Form>
  )
}
