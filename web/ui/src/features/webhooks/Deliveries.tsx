import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Paged } from '~/components/pager/Paged'
import { Notice } from '~/components/state/Notice'
import { Table } from '~/components/table/Table'
import { toast } from '~/components/toast/Toast'
import { useFormat, useTexts } from '~/text/context'
import { texts } from './texts'
import css from './Webhooks.module.css'
import { type Delivery, useChangeWebhook, useDeliveries, type Webhook } from './webhooks'

/** The requests to a webhook, with their answers. */
export function Deliveries({ webhook: w }: { webhook: Webhook }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [page, setPage] = useState(1)
  const [open, setOpen] = useState<Delivery | null>(null)
  const list = useDeliveries(w.id, page)
  return (
    <section className={css.section}>
      <h2>{t.deliveries}</h2>
      <Paged list={list} loading={t.loading} empty={<p>{t.noDeliveries}</p>} page={page} onPage={setPage}>
        {rows => (
          <Table
            label={t.deliveries}
            rows={rows}
            id={d => d.id}
            columns={[
              { head: t.event, cell: d => d.event_type },
              { head: t.status, cell: d => <DeliveryState delivery={d} /> },
              { head: t.answer, cell: d => d.status_code ?? t.noAnswer },
              { head: t.attempts, cell: d => format.number(d.attempt) },
              { head: t.time, cell: d => format.time(d.created_at) },
              {
                head: '',
                end: true,
                cell: d => (
                  <Button look="quiet" aria-label={t.detailsOf(d.event_type)} onPress={() => setOpen(d)}>
                    {t.details}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Paged>
      {open && <DeliveryDialog webhook={w} delivery={open} onClose={() => setOpen(null)} />}
    </section>
  )
}

function DeliveryState({ delivery: d }: { delivery: Delivery }) {
  const t = useTexts(texts)
  return <span className={`${css.badge} ${css[d.status] ?? ''}`}>{t.deliveryStates[d.status]}</span>
}

interface DeliveryDialogProps {
  webhook: Webhook
  delivery: Delivery
  onClose: () => void
}

function DeliveryDialog({ webhook: w, delivery: d, onClose }: DeliveryDialogProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const { redeliver } = useChangeWebhook()
  return (
    <Dialog title={d.event_type} isOpen onClose={onClose} wide>
      {redeliver.error && <Notice kind="danger">{redeliver.error.message}</Notice>}
      <p>
        <DeliveryState delivery={d} /> {d.next_attempt_at && `${t.next}: ${format.time(d.next_attempt_at)}`}
      </p>
      <ol className={css.attempts}>
        {d.attempts.map(a => (
          <li key={a.attempt} className={css.attempt}>
            <strong>
              {t.attempt(format.number(a.attempt))} · {format.time(a.created_at)} ·{' '}
              {a.status_code ?? t.noAnswer} · {t.took(format.number(a.latency_ms))}
            </strong>
            {a.error && <span className={css.wrong}>{a.error}</span>}
            {a.response_excerpt && <pre className={css.excerpt}>{a.response_excerpt}</pre>}
          </li>
        ))}
      </ol>
      <DialogButtons>
        <Button onPress={onClose}>{t.done}</Button>
        <Button
          look="primary"
          isPending={redeliver.isPending}
          onPress={() =>
            redeliver.mutate(
              { id: w.id, delivery: d.id },
              {
                onSuccess: () => {
                  toast({ text: t.redelivered })
                  onClose()
                },
              },
            )
          }
        >
          {t.redeliver}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
