import { ArchiveRestore, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { toast } from '~/components/toast/Toast'
import { useTrash } from '~/features/assets/asset'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { told } from '~/features/selected/bulk'
import { useRemove } from '~/features/selected/moves'
import { Understood } from '~/features/selected/Understood'
import { useSelection } from '~/features/selection/context'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import { texts } from './texts'

/** Restores or permanently deletes the selection. */
export function TrashActions({ list }: { list: LoadedList }) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  const can = useCan()
  const { restore, trash } = useTrash()
  const remove = useRemove(list, selection)
  const [asking, setAsking] = useState(false)
  const [pending, setPending] = useState(false)
  const count = format.number(selection.count(list.total))
  const bringBack = async () => {
    const names = await selectedGaids(list, selection)
    await restore(names)
    selection.clear()
    const undo = { label: t.undo, run: () => void told(() => trash(names)) }
    toast({ text: t.restored(format.number(names.length)), action: undo })
  }
  const run = async (fn: () => Promise<unknown>) => {
    setPending(true)
    await told(fn)
    setPending(false)
    setAsking(false)
  }
  if (!can('assets:delete')) return null
  return (
    <>
      <Button look="quiet" isPending={pending} onPress={() => void run(bringBack)}>
        <ArchiveRestore /> {t.restore}
      </Button>
      <Button look="quiet" onPress={() => setAsking(true)}>
        <Trash2 /> {t.remove}
      </Button>
      <Dialog title={t.confirm(count)} isOpen={asking} onClose={() => setAsking(false)}>
        <Understood list={list} selection={selection} />
        <p>{t.confirmHelp}</p>
        <DialogButtons>
          <Button onPress={() => setAsking(false)}>{t.cancel}</Button>
          <Button look="danger" isPending={pending} onPress={() => void run(remove)}>
            {t.confirmed(count)}
          </Button>
        </DialogButtons>
      </Dialog>
    </>
  )
}
