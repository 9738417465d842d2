import type { ComponentProps } from 'react'
import { Link } from 'react-router'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Facts } from '~/components/facts/Facts'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { GuestEmail } from '~/features/shares/Parts'
import { useFormat, useTexts } from '~/text/context'
import css from './Consents.module.css'
import { type Consent, useConsent } from './queries'
import { texts } from './texts'

/** The terms that a consent refers to. */
export function Of({ consent: c }: { consent: Pick<Consent, 'share_id'> }) {
  const t = useTexts(texts)
  if (c.share_id === null) return <>{t.ofUse}</>
  return <Link to={`/shares/${c.share_id}`}>{t.ofShare(String(c.share_id))}</Link>
}

/** The email address in a consent; guests of shares may have entered any. */
export function Email({ consent: c }: { consent: Consent }) {
  return <GuestEmail email={c.subject_email} isVerified={c.email_verified || c.context === 'user'} />
}

/** All details of a consent, with the text. */
export function ConsentDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const t = useTexts(texts)
  const format = useFormat()
  const { data: c, error, isPending } = useConsent(id)
  const facts: ComponentProps<typeof Facts>['list'] | undefined = c && [
    [t.who, c.subject_name],
    [t.email, c.subject_email && <Email key="email" consent={c} />],
    [t.time, format.time(c.accepted_at)],
    [t.terms, <Of key="of" consent={c} />],
    [t.version, format.number(c.terms_version)],
    [t.address, c.ip],
    [t.browser, c.user_agent],
    [t.erased, c.erased_at && format.time(c.erased_at)],
    [t.hash, c.terms_text_hash],
  ]
  return (
    <Dialog title={t.consent(format.number(id))} isOpen wide onClose={onClose}>
      {isPending && <Busy label={t.loading} />}
      {error && <Notice kind="danger">{error.message}</Notice>}
      {facts && <Facts list={facts} />}
      {c && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text has to be scrolled by keyboard
        <section className={css.text} aria-label={t.text} tabIndex={0}>
          {c.terms_text ?? t.noText}
        </section>
      )}
      <DialogButtons>
        <Button look="primary" onPress={onClose}>
          {t.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
