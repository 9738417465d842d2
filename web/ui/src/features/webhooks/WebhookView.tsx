import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError } from '~/api/client'
import { Button, ButtonLink } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Facts } from '~/components/facts/Facts'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useFormat, useTexts } from '~/text/context'
import { Deliveries } from './Deliveries'
import { texts } from './texts'
import { SecretDialog, WebhookDialog } from './WebhookDialog'
import { Events, State } from './WebhookList'
import css from './Webhooks.module.css'
import { useChangeWebhook, useWebhook, type Webhook } from './webhooks'

/** One webhook: its events, its actions, and its deliveries. */
export function WebhookView({ id }: { id: number }) {
  const t = useTexts(texts)
  const webhook = useWebhook(id)
  if (webhook.error instanceof ApiError && webhook.error.status === 404) {
    return (
      <Empty title={t.notFound}>
        <ButtonLink href="/admin/webhooks">{t.webhooks}</ButtonLink>
      </Empty>
    )
  }
  if (webhook.error && !webhook.data) return <Notice kind="danger">{webhook.error.message}</Notice>
  if (!webhook.data) return <Busy label={t.loading} />
  return (
    <>
      <About webhook={webhook.data} />
      <Actions webhook={webhook.data} />
      <Deliveries webhook={webhook.data} />
    </>
  )
}

function About({ webhook: w }: { webhook: Webhook }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <>
      {w.status === 'disabled' && (
        <Notice kind="warning">
          {w.disabled_reason} {t.disabledHelp}
        </Notice>
      )}
      <Facts
        list={[
          [t.status, <State key="status" webhook={w} />],
          [t.events, <Events key="events" webhook={w} />],
          [t.description, w.description],
          [t.madeBy, `${w.created_by?.name ?? t.nobody}, ${format.day(w.created_at)}`],
        ]}
      />
    </>
  )
}

type Open = 'edit' | 'rotate' | 'remove' | null

function Actions({ webhook: w }: { webhook: Webhook }) {
  const t = useTexts(texts)
  const change = useChangeWebhook()
  const [open, setOpen] = useState<Open>(null)
  const failed = change.update.error ?? change.test.error
  const test = async () => {
    const delivery = await change.test.mutateAsync(w.id).catch(() => null)
    if (delivery)
      toast({
        text: delivery.status === 'delivered' ? t.testDelivered : `${t.testFailed} ${delivery.error ?? ''}`,
      })
  }
  const activate = async (is_active: boolean) => {
    const changed = await change.update.mutateAsync({ id: w.id, body: { is_active } }).catch(() => null)
    if (!changed) return
    toast(
      is_active
        ? { text: t.resumed }
        : { text: t.paused, action: { label: t.resume, run: () => void activate(true) } },
    )
  }
  return (
    <>
      {failed && <Notice kind="danger">{failed.message}</Notice>}
      <div className={css.actions}>
        <Button onPress={() => void test()} isPending={change.test.isPending}>
          {t.test}
        </Button>
        <Button onPress={() => setOpen('edit')}>{t.edit}</Button>
        <Button onPress={() => void activate(!w.is_active)} isPending={change.update.isPending}>
          {w.is_active ? t.pause : t.resume}
        </Button>
        <Button onPress={() => setOpen('rotate')}>{t.rotate}</Button>
        <Button onPress={() => setOpen('remove')}>{t.remove}</Button>
      </div>
      {open === 'edit' && <WebhookDialog webhook={w} onClose={() => setOpen(null)} />}
      {open === 'rotate' && <RotateDialog webhook={w} onClose={() => setOpen(null)} />}
      {open === 'remove' && <RemoveDialog webhook={w} onClose={() => setOpen(null)} />}
    </>
  )
}

interface DialogProps {
  webhook: Webhook
  onClose: () => void
}

function RotateDialog({ webhook: w, onClose }: DialogProps) {
  const t = useTexts(texts)
  const { rotate } = useChangeWebhook()
  if (rotate.data) return <SecretDialog title={t.rotate} secret={rotate.data.secret} onClose={onClose} />
  return (
    <Dialog title={t.rotateTitle} isOpen onClose={onClose}>
      {rotate.error && <Notice kind="danger">{rotate.error.message}</Notice>}
      <p>{t.rotateHelp}</p>
      <DialogButtons>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button look="primary" isPending={rotate.isPending} onPress={() => rotate.mutate(w.id)}>
          {t.rotate}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

function RemoveDialog({ webhook: w, onClose }: DialogProps) {
  const t = useTexts(texts)
  const navigate = useNavigate()
  const { remove } = useChangeWebhook()
  return (
    <Dialog title={t.removeTitle} isOpen onClose={onClose}>
      {remove.error && <Notice kind="danger">{remove.error.message}</Notice>}
      <p>{w.url}</p>
      <p>{t.removeHelp}</p>
      <DialogButtons>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button
          look="danger"
          isPending={remove.isPending}
          onPress={() =>
            remove.mutate(w.id, {
              onSuccess: () => {
                toast({ text: t.removed })
                void navigate('/admin/webhooks')
              },
            })
          }
        >
          {t.remove}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
