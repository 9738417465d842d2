import { type RefObject, useRef, useState } from 'react'
import { Dialog, Popover } from 'react-aria-components'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import { type Collection, useChangeCollections } from './collections'
import css from './Rename.module.css'
import { texts } from './texts'

interface RenamePopoverProps {
  collection: Collection
  /** The element with the collection's row. */
  box: RefObject<HTMLElement | null>
  onClose: () => void
}

/** A field above a collection's row in the tree, for renaming it in place. Escape cancels. */
export function RenamePopover({ collection, box, onClose }: RenamePopoverProps) {
  const t = useTexts(texts)
  const { update } = useChangeCollections()
  const [name, setName] = useState(collection.name)
  const row = useRef<Element | null>(null)
  row.current ??= box.current?.querySelector(`[role="row"][data-key="${collection.id}"]`) ?? null
  const height = row.current?.getBoundingClientRect().height ?? 0
  const save = async () => {
    const to = name.trim()
    if (to && to !== collection.name) await update.mutateAsync({ id: collection.id, body: { name: to } })
    onClose()
  }
  return (
    <Popover
      triggerRef={row}
      isOpen
      onOpenChange={open => open || onClose()}
      placement="bottom start"
      offset={-height}
      className={css.popover}
    >
      <Dialog aria-label={t.renameTitle(collection.name)} className={css.dialog}>
        <Form onSubmit={save}>
          {({ errors }) => (
            <TextField
              label={t.name}
              hideLabel
              value={name}
              onChange={setName}
              autoFocus
              onFocus={e => e.target instanceof HTMLInputElement && e.target.select()}
              errors={errors.name ?? []}
            />
          )}
        </Form>
      </Dialog>
    </Popover>
  )
}
