import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { KeywordInput, words } from '~/features/keywords/KeywordInput'
import { useTexts } from '~/text/context'
import { texts } from './texts'

/** Asks for keywords to add. */
export function KeywordsDialog({
  onAdd,
  onClose,
}: {
  onAdd: (words: string[]) => void
  onClose: () => void
}) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  return (
    <Dialog title={t.keywords} isOpen onClose={onClose}>
      <Form
        onSubmit={async () => {
          const list = words(text)
          if (list.length > 0) onAdd(list)
          onClose()
        }}
      >
        {() => (
          <>
            <KeywordInput label={t.keywordsLabel} value={text} onChange={setText} autoFocus />
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary">
                {t.add}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
