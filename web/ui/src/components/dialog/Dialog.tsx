import { type ReactNode, useEffect, useRef } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import css from './Dialog.module.css'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  wide?: boolean
  /** Only its own controls close it. */
  persistent?: boolean
  children: ReactNode
}

const settled = 150 // milliseconds, after which nothing else moves the focus back

/**
 * Restores the focus after a dialog if it is lost: react-aria does so itself, but not reliably when the browser is
 * busy.
 */
function useFocusBack(isOpen: boolean) {
  const before = useRef<Element | null>(null)
  if (isOpen) before.current ??= document.activeElement
  useEffect(() => {
    if (!isOpen) return
    return () => {
      const to = before.current
      before.current = null
      window.setTimeout(() => {
        if (document.activeElement === document.body && to instanceof HTMLElement && to.isConnected)
          to.focus()
      }, settled)
    }
  }, [isOpen])
}

/** A modal dialog. Escape and a click outside close it. */
export function Dialog({ title, isOpen, onClose, wide = false, persistent = false, children }: DialogProps) {
  useFocusBack(isOpen)
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

/** The row of buttons at the end of a dialog. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return <div className={css.buttons}>{children}</div>
}
