import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import type { LoadedList } from '~/features/assets/list'
import type { Selection } from '~/features/selection/selection'
import { useFormat, useTexts } from '~/text/context'
import { type Changes, type Preview, preview, type Start, selectionOf, useApply } from './bulk'
import { EditFields, usePresent } from './EditFields'
import { Seen } from './Seen'
import { texts } from './texts'
import { Understood } from './Understood'

interface EditDialogProps {
  list: LoadedList
  selection: Selection
  onClose: () => void
}

/** Changes fields of many assets, after a preview. */
export default function EditDialog({ list, selection, onClose }: EditDialogProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const change = useApply(list, selection)
  const [changes, setChanges] = useState<Changes>({})
  const [seen, setSeen] = useState<{ body: Start; preview: Preview } | null>(null)
  const fields = usePresent()
  const look = async () => {
    const body: Start = { type: 'bulk_update', selection: await selectionOf(list, selection), changes }
    setSeen({ body, preview: await preview(body) })
  }
  const apply = async () => {
    if (!seen) return
    await change(seen.body.selection, changes)
    onClose()
  }
  const count = format.number(selection.count(list.total))
  return (
    <Dialog title={t.editMany(count)} isOpen onClose={onClose} wide={seen !== null}>
      {seen ? (
        <Form onSubmit={apply}>
          {({ pending }) => (
            <>
              <Understood list={list} selection={selection} preview={seen.preview} />
              <Seen preview={seen.preview} fields={fields} />
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
              <EditFields fields={fields} changes={changes} onChange={setChanges} errors={errors} />
              <DialogButtons>
                <Button onPress={onClose}>{t.cancel}</Button>
                <Button
                  type="submit"
                  look="primary"
                  isPending={pending}
                  isDisabled={Object.keys(changes).length === 0}
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
