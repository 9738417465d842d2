import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import css from './Dialog.module.css'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  wide?: boolean
  /** Only what is in it closes it. */
  persistent?: boolean
  children: ReactNode
}

/** A dialog over the page. Escape and a click beside it close it. */
export function Dialog({ title, isOpen, onClose, wide = false, persistent = false, children }: DialogProps) {
  return (
    <ModalOverlay
      className={css.scrim}
      isOpen={isOpen}
      onOpenChange={open => open || onClose()}
      isDismissable={!persistent}
      isKeyboardDismissDisabled={persistent}
    >
      <Modal className={wide ? `${css.modal} ${css.wide}` : css.modal}>
        <AriaDialog className={css.dialog}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** The row of buttons at a dialog's end. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return <div className={css.buttons}>{children}</div>
}
