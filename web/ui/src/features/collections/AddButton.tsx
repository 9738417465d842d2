import { FolderPlus, Plus } from 'lucide-react'
import { useState } from 'react'
import {
  Autocomplete,
  Dialog,
  DialogTrigger,
  Input,
  Menu,
  MenuItem,
  Popover,
  SearchField,
} from 'react-aria-components'
import { ApiError } from '~/api/client'
import { IconButton } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import { useFormat, useTexts } from '~/text/context'
import css from './AddButton.module.css'
import { type Collection, useChangeCollections, useCollectionsNamed } from './collections'
import { EditDialog } from './EditDialog'
import { texts } from './texts'

/** Only the dialog in the popover has a name: elements without a role must not have one. */
const unnamed = { 'aria-labelledby': '' }

/** Adds the selected assets to an existing or new collection. */
export function AddButton({
  gaids,
  onAdded,
}: {
  gaids: () => Promise<readonly string[]>
  onAdded: () => void
}) {
  const t = useTexts(texts)
  const format = useFormat()
  const { add } = useChangeCollections()
  const [isOpen, setOpen] = useState(false)
  const [creating, setCreating] = useState(false)
  const [text, setText] = useState('')
  const found = useCollectionsNamed(text, isOpen)
  const into = async (c: Collection) => {
    setOpen(false)
    try {
      const n = await add.mutateAsync({ id: c.id, gaids: await gaids() })
      onAdded()
      toast({ text: t.added(format.number(n), c.name) })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  const fillable = found.data?.filter(c => !c.rules) ?? []
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <IconButton label={t.add} word={t.addWord}>
          <FolderPlus />
        </IconButton>
        <Popover className={css.popover} placement="bottom end" {...unnamed}>
          <Dialog aria-label={t.add}>
            <Autocomplete inputValue={text} onInputChange={setText}>
              <SearchField aria-label={t.search} autoFocus className={css.search}>
                <Input placeholder={t.search} className={css.input} />
              </SearchField>
              <Menu className={css.list} aria-label={t.collections}>
                {fillable.map(c => (
                  <MenuItem key={c.id} textValue={c.name} className={css.item} onAction={() => void into(c)}>
                    {c.name}
                  </MenuItem>
                ))}
                <MenuItem
                  textValue={t.create}
                  className={css.item}
                  onAction={() => {
                    setOpen(false)
                    setCreating(true)
                  }}
                >
                  <Plus /> {t.create}
                </MenuItem>
              </Menu>
            </Autocomplete>
          </Dialog>
        </Popover>
      </DialogTrigger>
      {creating && (
        <EditDialog id={null} parent={null} onClose={() => setCreating(false)} onSaved={c => void into(c)} />
      )}
    </>
  )
}
