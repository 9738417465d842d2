import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import { type Collection, useChangeCollections } from './collections'
import { texts } from './texts'

interface EditDialogProps {
  /** What is edited; null makes a new one. */
  collection: Collection | null
  /** Where a new one goes. */
  parent: number | null
  onClose: () => void
  onSaved?: (c: Collection) => void
}

/** Makes a collection, or changes its name and description. */
export function EditDialog({ collection, parent, onClose, onSaved }: EditDialogProps) {
  const t = useTexts(texts)
  const { create, update } = useChangeCollections()
  const [name, setName] = useState(collection?.name ?? '')
  const [description, setDescription] = useState(collection?.description ?? '')
  const submit = async () => {
    const body = { name, description: description || null }
    const saved = collection
      ? await update.mutateAsync({ id: collection.id, body })
      : await create.mutateAsync({ ...body, parent_id: parent })
    onSaved?.(saved)
    onClose()
  }
  return (
    <Dialog title={collection ? t.edit : t.create} isOpen onClose={onClose}>
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
            <TextField
              label={t.description}
              value={description}
              onChange={setDescription}
              long
              errors={errors.description ?? []}
            />
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {t.save}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
