import { type ReactNode, useState } from 'react'
import { ApiError } from '~/api/client'
import { Button } from '~/components/button/Button'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import { type Named, useChangeNamed } from './definitions'
import { ItemList } from './ItemList'
import { texts } from './texts'

interface NamedListProps {
  of: 'asset-classes' | 'collection-types'
  words: { create: string; none: string; removeHelp: string }
  items: readonly Named[] | undefined
  about?: (item: Named) => ReactNode
}

type Doing = { what: 'put' | 'remove'; item: Named | null }

/** A list of items that consist of a name: create, rename and delete. */
export function NamedList({ of, words, items, about }: NamedListProps) {
  const t = useTexts(texts)
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  return (
    <>
      <ItemList
        items={items}
        words={{ ...words, change: t.rename }}
        {...(about && { about })}
        onPut={item => setDoing({ what: 'put', item })}
        onRemove={item => setDoing({ what: 'remove', item })}
      />
      {doing?.what === 'put' && (
        <NameDialog of={of} item={doing.item} title={doing.item ? t.rename : words.create} onClose={close} />
      )}
      {doing?.what === 'remove' && doing.item && (
        <RemoveDialog of={of} item={doing.item} help={words.removeHelp} onClose={close} />
      )}
    </>
  )
}

interface DialogProps {
  of: NamedListProps['of']
  onClose: () => void
}

function NameDialog({ of, item, title, onClose }: DialogProps & { item: Named | null; title: string }) {
  const t = useTexts(texts)
  const { put } = useChangeNamed(of)
  const [name, setName] = useState(item?.name ?? '')
  const submit = async () => {
    await put.mutateAsync({ id: item?.id ?? null, name })
    onClose()
  }
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.name}
              value={name}
              onChange={setName}
              isRequired
              autoFocus
              errors={errors.name ?? []}
            />
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {item ? t.save : t.create}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** Asks for confirmation before deleting; if the server refuses, shows the reason and offers to delete anyway. */
function RemoveDialog({ of, item, help, onClose }: DialogProps & { item: Named; help: string }) {
  const t = useTexts(texts)
  const { remove } = useChangeNamed(of)
  const [conflict, setConflict] = useState('')
  const forceable = / force=true/.test(conflict)
  const done = () => toast({ text: t.removed(item.name) })
  if (forceable) {
    return (
      <ConfirmDialog
        key="force"
        title={t.removeAllTheSame(item.name)}
        action={t.remove}
        onClose={onClose}
        onConfirm={async () => {
          await remove.mutateAsync({ id: item.id, force: true })
          done()
        }}
      >
        <Notice kind="warning">{conflict.split(';')[0]}.</Notice>
      </ConfirmDialog>
    )
  }
  return (
    <ConfirmDialog
      key="ask"
      title={t.removeNamed(item.name)}
      action={t.remove}
      onClose={() => {
        if (!forceable) onClose()
      }}
      onConfirm={async () => {
        try {
          await remove.mutateAsync({ id: item.id, force: false })
          done()
        } catch (e) {
          if (e instanceof ApiError && e.status === 409) setConflict(e.message)
          throw e
        }
      }}
    >
      <p>{help}</p>
    </ConfirmDialog>
  )
}
