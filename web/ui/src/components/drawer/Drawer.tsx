import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { IconButton } from '../button/Button'
import css from './Drawer.module.css'

const texts = catalogue({ close: 'Close' }, { de: { close: 'Schließen' } })

interface DrawerProps {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}

/** A panel beside the page on a wide screen, and above it on a phone. */
export function Drawer({ title, isOpen, onClose, children }: DrawerProps) {
  const t = useTexts(texts)
  return (
    <ModalOverlay
      className={css.scrim}
      isOpen={isOpen}
      onOpenChange={open => open || onClose()}
      isDismissable
    >
      <Modal className={css.modal}>
        <Dialog className={css.dialog}>
          <div className={css.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <IconButton label={t.close} onPress={onClose}>
              <X />
            </IconButton>
          </div>
          <div className={css.body}>{children}</div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
