import { useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { TextField } from '~/components/field/TextField'
import { TreeView } from '~/components/tree/TreeView'
import { useTexts } from '~/text/context'
import { type Collection, useCollectionsNamed } from './collections'
import css from './MoveDialog.module.css'
import { texts } from './texts'
import { useCollectionTree } from './tree'

interface MoveDialogProps {
  collection: Collection
  onClose: () => void
  onMove: (into: number | null) => Promise<void>
}

/** Asks for the new parent of a collection. */
export function MoveDialog({ collection, onClose, onMove }: MoveDialogProps) {
  const t = useTexts(texts)
  const tree = useCollectionTree()
  const [text, setText] = useState('')
  const [into, setInto] = useState<string | null>(null)
  const found = useCollectionsNamed(text, text !== '')
  const self = String(collection.id)
  return (
    <Dialog title={t.moveTitle(collection.name)} isOpen onClose={onClose}>
      <TextField label={t.search} value={text} onChange={setText} autoFocus />
      <div className={css.places}>
        {text ? (
          <ListBox
            aria-label={t.collections}
            className={css.list}
            selectionMode="single"
            selectedKeys={into === null ? [] : [into]}
            onSelectionChange={keys => setInto(String([...keys][0] ?? ''))}
            disabledKeys={[self]}
            items={found.data ?? []}
            renderEmptyState={() => <p className={css.none}>{found.isPending ? t.loading : t.noneFound}</p>}
          >
            {c => (
              <ListBoxItem id={String(c.id)} className={css.item}>
                {c.name}
              </ListBoxItem>
            )}
          </ListBox>
        ) : (
          <TreeView
            label={t.collections}
            tree={tree}
            current={into}
            onAction={id => id !== self && setInto(id)}
            isFaint={c => c.id === collection.id}
          />
        )}
      </div>
      <DialogButtons>
        {collection.parent_id !== null && (
          <Button look="quiet" onPress={() => void onMove(null)}>
            {t.toTop}
          </Button>
        )}
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button look="primary" isDisabled={!into} onPress={() => void onMove(Number(into))}>
          {t.moveHere}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
