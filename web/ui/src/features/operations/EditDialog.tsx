import { useState } from 'react'
import type { Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { toast } from '~/components/toast/Toast'
import { useFormat, useTexts } from '~/text/context'
import css from './EditDialog.module.css'
import { type Preview, preview, type Start, useStart } from './operations'
import { texts } from './texts'

type Changes = Schemas['BulkChanges']
const statuses = ['draft', 'in_review', 'approved', 'rejected', 'archived'] as const

interface EditDialogProps {
  count: number
  selection: () => Promise<Start['selection']>
  onClose: () => void
  onStarted: () => void
}

/** Changes many assets: first it shows what would change, then it does it in the background. */
export function EditDialog({ count, selection, onClose, onStarted }: EditDialogProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const start = useStart()
  const [add, setAdd] = useState('')
  const [remove, setRemove] = useState('')
  const [status, setStatus] = useState<(typeof statuses)[number] | ''>('')
  const [creator, setCreator] = useState('')
  const [copyright, setCopyright] = useState('')
  const [seen, setSeen] = useState<{ body: Start; preview: Preview; key: string } | null>(null)

  const changes = (): Changes => ({
    ...(add.trim() && { add_keywords: words(add) }),
    ...(remove.trim() && { remove_keywords: words(remove) }),
    ...(status && { workflow_status: status }),
    ...(creator.trim() && { creator }),
    ...(copyright.trim() && { copyright }),
  })
  const look = async () => {
    const body: Start = { type: 'bulk_update', selection: await selection(), changes: changes() }
    setSeen({ body, preview: await preview(body), key: crypto.randomUUID() })
  }
  return (
    <Dialog title={t.editMany(format.number(count))} isOpen onClose={onClose} wide={seen !== null}>
      {seen ? (
        <Form
          onSubmit={async () => {
            await start.mutateAsync({ key: seen.key, body: seen.body })
            toast({ text: t.started })
            onStarted()
            onClose()
          }}
        >
          {({ pending }) => (
            <>
              <Seen preview={seen.preview} />
              <DialogButtons>
                <Button onPress={() => setSeen(null)}>{t.back}</Button>
                <Button
                  type="submit"
                  look="primary"
                  isPending={pending}
                  isDisabled={seen.preview.changed === 0}
                >
                  {t.apply(format.number(seen.preview.changed))}
                </Button>
              </DialogButtons>
            </>
          )}
        </Form>
      ) : (
        <Form onSubmit={look}>
          {({ pending, errors }) => (
            <>
              <TextField
                label={t.addKeywords}
                help={t.separated}
                value={add}
                onChange={setAdd}
                autoFocus
                errors={errors['changes.add_keywords'] ?? []}
              />
              <TextField
                label={t.removeKeywords}
                help={t.separated}
                value={remove}
                onChange={setRemove}
                errors={errors['changes.remove_keywords'] ?? []}
              />
              <Select
                label={t.status}
                choices={[{ id: '', text: t.keep }, ...statuses.map(s => ({ id: s, text: t[s] }))]}
                value={status}
                onChange={setStatus}
                errors={errors['changes.workflow_status'] ?? []}
              />
              <TextField
                label={t.creator}
                help={t.leaveEmpty}
                value={creator}
                onChange={setCreator}
                errors={errors['changes.creator'] ?? []}
              />
              <TextField
                label={t.copyright}
                help={t.leaveEmpty}
                value={copyright}
                onChange={setCopyright}
                errors={errors['changes.copyright'] ?? []}
              />
              <DialogButtons>
                <Button onPress={onClose}>{t.cancel}</Button>
                <Button
                  type="submit"
                  look="primary"
                  isPending={pending}
                  isDisabled={Object.keys(changes()).length === 0}
                >
                  {t.look}
                </Button>
              </DialogButtons>
            </>
          )}
        </Form>
      )}
    </Dialog>
  )
}

function words(text: string): string[] {
  return text
    .split(',')
    .map(w => w.trim())
    .filter(Boolean)
}

/** What would change, field by field, of the first assets. */
function Seen({ preview: p }: { preview: Preview }) {
  const t = useTexts(texts)
  const format = useFormat()
  const show = (v: unknown) =>
    (Array.isArray(v) ? v.join(', ') : v === null || v === '' ? t.empty : String(v)) || t.empty
  const changed = p.items.filter(i => Object.keys(i.changes).length > 0 || i.error)
  return (
    <>
      <p>
        {p.changed > 0 ? t.changed(format.number(p.changed)) : t.nothing}{' '}
        {p.unchanged > 0 && t.unchanged(format.number(p.unchanged))}{' '}
        {p.invalid > 0 && t.invalid(format.number(p.invalid))}
      </p>
      {changed.length > 0 && (
        <>
          <p>{t.firstOnes}</p>
          <ul className={css.items}>
            {changed.map(i => (
              <li key={i.gaid} className={css.item}>
                <strong>{i.title}</strong>
                {i.error && <p className={css.error}>{i.error.message}</p>}
                <dl className={css.fields}>
                  {Object.entries(i.changes).map(([name, c]) => (
                    <div key={name}>
                      <dt>{name.replaceAll('_', ' ')}</dt>
                      <dd>
                        <del>{show(c.from)}</del> → <ins>{show(c.to)}</ins>
                      </dd>
                    </div>
                  ))}
                </dl>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
