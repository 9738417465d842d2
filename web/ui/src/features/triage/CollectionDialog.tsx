import { useState } from 'react'
import { Autocomplete, Input, Menu, MenuItem, SearchField } from 'react-aria-components'
import { ApiError } from '~/api/client'
import { Dialog } from '~/components/dialog/Dialog'
import { toast } from '~/components/toast/Toast'
import picker from '~/features/collections/AddButton.module.css'
import { type Collection, useCollectionsNamed } from '~/features/collections/collections'
import { useFormat, useTexts } from '~/text/context'
import { useMembership } from './membership'
import { texts } from './texts'
import type { Target } from './triage'
import { done } from './undo'

interface CollectionDialogProps {
  targets: readonly Pick<Target, 'gaid'>[]
  onClose: () => void
  onAdded: () => void
}

/** Asks for a collection to add assets to. */
export function CollectionDialog({ targets, onClose, onAdded }: CollectionDialogProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const { addTo, removeFrom } = useMembership()
  const [text, setText] = useState('')
  const found = useCollectionsNamed(text)
  const fillable = found.data?.filter(c => !c.rules) ?? []
  const into = async (c: Collection) => {
    onClose()
    const gaids = targets.map(a => a.gaid)
    try {
      const n = await addTo(c.id, gaids)
      if (n === 0) return toast({ text: t.alreadyIn(c.name) })
      const text = t.addedTo(format.plural(n, t.one, t.other), c.name)
      // If some were already in it, removing all of them would be wrong.
      if (n < gaids.length) toast({ text })
      else done(text, t.undo, () => void removeFrom(c.id, gaids))
      onAdded()
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  return (
    <Dialog title={t.collection} isOpen onClose={onClose}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField aria-label={t.collectionSearch} autoFocus className={picker.search}>
          <Input placeholder={t.collectionSearch} className={picker.input} />
        </SearchField>
        <Menu
          className={picker.list}
          aria-label={t.collection}
          renderEmptyState={() => (found.isPending ? t.loading : t.noCollection)}
        >
          {fillable.map(c => (
            <MenuItem key={c.id} textValue={c.name} className={picker.item} onAction={() => void into(c)}>
              {c.name}
            </MenuItem>
          ))}
        </Menu>
      </Autocomplete>
    </Dialog>
  )
}
