import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import { useChangeVocabularies, type Vocabulary } from './definitions'
import { keyOf } from './form'
import { texts } from './texts'

/** Creates a vocabulary, or changes its name and description. */
export function VocabularyDialog({
  vocabulary,
  onClose,
}: {
  vocabulary: Vocabulary | null
  onClose: () => void
}) {
  const t = useTexts(texts)
  const { create, update } = useChangeVocabularies()
  const [name, setName] = useState(vocabulary?.name ?? '')
  const [key, setKey] = useState(vocabulary?.key ?? '')
  const [description, setDescription] = useState(vocabulary?.description ?? '')
  const submit = async () => {
    const body = { name, description: description || null }
    if (vocabulary) await update.mutateAsync({ key: vocabulary.key, body })
    else await create.mutateAsync({ ...body, key })
    onClose()
  }
  return (
    <Dialog title={vocabulary ? t.editVocabulary(vocabulary.name) : t.newVocabulary} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.name}
              value={name}
              onChange={to => {
                if (key === keyOf(name)) setKey(keyOf(to))
                setName(to)
              }}
              isRequired
              autoFocus
              errors={errors.name ?? []}
            />
            {!vocabulary && (
              <TextField
                label={t.key}
                help={t.keyHelp}
                value={key}
                onChange={setKey}
                isRequired
                errors={errors.key ?? []}
              />
            )}
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
                {vocabulary ? t.save : t.create}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
