import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { useFormat, useTexts } from '~/text/context'
import { texts } from './texts'

interface PositionDialogProps {
  /** The last position. */
  total: number
  onClose: () => void
  onChosen: (position: number) => Promise<void>
}

/** Asks for a position in a collection, starting at 1. */
export function PositionDialog({ total, onClose, onChosen }: PositionDialogProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const [text, setText] = useState('1')
  const position = Number(text)
  const valid = Number.isInteger(position) && position >= 1 && position <= total
  return (
    <Dialog title={t.toPosition} isOpen onClose={onClose}>
      <Form
        onSubmit={async () => {
          if (!valid) return
          await onChosen(position)
          onClose()
        }}
      >
        {({ pending }) => (
          <>
            <TextField
              label={t.position}
              type="number"
              value={text}
              onChange={setText}
              autoFocus
              help={t.positionHelp(format.number(total))}
              errors={valid ? [] : [t.positionHelp(format.number(total))]}
            />
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {t.moveHere}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
