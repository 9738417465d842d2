import { type ReactNode, useState } from 'react'
import { ApiError } from '~/api/client'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { Button } from '../button/Button'
import { Notice } from '../state/Notice'
import { Dialog, DialogButtons } from './Dialog'

const texts = catalogue({ cancel: 'Cancel' }, { de: { cancel: 'Abbrechen' } })

interface ConfirmDialogProps {
  title: string
  /** The label of the confirming button. */
  action: string
  isDisabled?: boolean
  onClose: () => void
  /** Runs the action; errors are displayed, and the dialog stays open. */
  onConfirm: () => Promise<unknown>
  children?: ReactNode
}

/** A confirmation of an action that cannot be undone. */
export function ConfirmDialog({
  title,
  action,
  isDisabled = false,
  onClose,
  onConfirm,
  children,
}: ConfirmDialogProps) {
  const t = useTexts(texts)
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState('')
  const confirm = async () => {
    setPending(true)
    try {
      await onConfirm()
      onClose()
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      setFailure(e.message)
    } finally {
      setPending(false)
    }
  }
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {children}
      {failure && <Notice kind="danger">{failure}</Notice>}
      <DialogButtons>
        <Button onPress={onClose} autoFocus>
          {t.cancel}
        </Button>
        <Button
          look="danger"
          isPending={pending}
          isDisabled={isDisabled || failure !== ''}
          onPress={() => void confirm()}
        >
          {action}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
