import { Webhook as Icon, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Button } from '~/components/button/Button'
import page from '~/components/page.module.css'
import { Paged } from '~/components/pager/Paged'
import { Empty } from '~/components/state/Empty'
import { Table } from '~/components/table/Table'
import { useTexts } from '~/text/context'
import { texts } from './texts'
import { WebhookDialog } from './WebhookDialog'
import css from './Webhooks.module.css'
import { useWebhooks, type Webhook } from './webhooks'

/** All webhooks, with a button to create one. */
export function WebhookList() {
  const t = useTexts(texts)
  const [at, setAt] = useState(1)
  const [creating, setCreating] = useState(false)
  const list = useWebhooks(at)
  return (
    <section className={css.section}>
      <div className={page.head}>
        <h1>{t.webhooks}</h1>
        <Button look="primary" onPress={() => setCreating(true)}>
          <Plus /> {t.create}
        </Button>
      </div>
      <p className={css.help}>{t.help}</p>
      <Paged
        list={list}
        loading={t.loading}
        empty={<Empty icon={<Icon />} title={t.none} />}
        page={at}
        onPage={setAt}
      >
        {rows => (
          <Table
            label={t.webhooks}
            rows={rows}
            id={w => w.id}
            columns={[
              { head: t.url, cell: w => <Address webhook={w} /> },
              { head: t.events, cell: w => <Events webhook={w} /> },
              { head: t.status, cell: w => <State webhook={w} /> },
              { head: t.madeBy, cell: w => w.created_by?.name ?? t.nobody },
            ]}
          />
        )}
      </Paged>
      {creating && <WebhookDialog onClose={() => setCreating(false)} />}
    </section>
  )
}

function Address({ webhook: w }: { webhook: Webhook }) {
  return (
    <>
      <Link to={String(w.id)}>{w.url}</Link>
      {w.description && <div className={css.soft}>{w.description}</div>}
    </>
  )
}

/** The events of a webhook, in short. */
export function Events({ webhook: w }: { webhook: Webhook }) {
  const t = useTexts(texts)
  return <>{w.events.includes('*') ? t.everything : w.events.join(', ')}</>
}

export function State({ webhook: w }: { webhook: Webhook }) {
  const t = useTexts(texts)
  return <span className={`${css.badge} ${css[w.status] ?? ''}`}>{t.states[w.status]}</span>
}
