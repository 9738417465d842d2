import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { CopyField } from '~/components/copy/CopyField'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Checkbox } from '~/components/field/Checkbox'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { EventPicker } from './EventPicker'
import { texts } from './texts'
import { type EventName, useChangeWebhook, type Webhook } from './webhooks'

/** Creates a webhook and shows its secret once, or edits one. */
export function WebhookDialog({ webhook, onClose }: { webhook?: Webhook; onClose: () => void }) {
  const t = useTexts(texts)
  const change = useChangeWebhook()
  const [url, setURL] = useState(webhook?.url ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<EventName[]>(webhook?.events ?? ['*'])
  const [skip, setSkip] = useState(webhook?.skip_enrichment ?? false)
  const [secret, setSecret] = useState('')
  const save = async () => {
    const body = { url, events, description: description || null, skip_enrichment: skip }
    if (webhook) {
      await change.update.mutateAsync({ id: webhook.id, body })
      onClose()
    } else {
      setSecret((await change.create.mutateAsync(body)).secret)
    }
  }
  if (secret) return <SecretDialog title={t.create} secret={secret} onClose={onClose} />
  return (
    <Dialog title={webhook ? t.editTitle : t.create} isOpen onClose={onClose}>
      <Form onSubmit={save}>
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.url}
              help={t.urlHelp}
              type="url"
              value={url}
              onChange={setURL}
              isRequired
              autoFocus
              errors={errors.url ?? []}
            />
            <TextField
              label={t.description}
              value={description}
              onChange={setDescription}
              errors={errors.description ?? []}
            />
            <EventPicker
              value={events}
              onChange={setEvents}
              errors={Object.entries(errors)
                .filter(([field]) => field.startsWith('events'))
                .flatMap(([, messages]) => messages)}
            />
            <Checkbox isSelected={skip} onChange={setSkip}>
              {t.skipEnrichment}
            </Checkbox>
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {webhook ? t.save : t.create}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** Shows a secret that cannot be displayed again. */
export function SecretDialog({
  title,
  secret,
  onClose,
}: {
  title: string
  secret: string
  onClose: () => void
}) {
  const t = useTexts(texts)
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Notice kind="warning">{t.secretOnce}</Notice>
      <CopyField label={t.secret} value={secret} />
      <DialogButtons>
        <Button look="primary" onPress={onClose}>
          {t.done}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
