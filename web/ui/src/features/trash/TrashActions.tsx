import { ArchiveRestore, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { toast } from '~/components/toast/Toast'
import { useTrash } from '~/features/assets/asset'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import { texts } from './texts'

/** Brings what is selected back, or deletes it for good. */
export function TrashActions({ list }: { list: LoadedList }) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  const { restore, remove } = useTrash()
  const [asking, setAsking] = useState(false)
  const [pending, setPending] = useState(false)
  const count = format.number(selection.count(list.total))
  const run = async (fn: (gaids: readonly string[]) => Promise<void>, done: string) => {
    setPending(true)
    try {
      await fn(await selectedGaids(list, selection))
      selection.clear()
      toast({ text: done })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    } finally {
      setPending(false)
      setAsking(false)
    }
  }
  return (
    <>
      <Button look="quiet" isPending={pending} onPress={() => void run(restore, t.restored(count))}>
        <ArchiveRestore /> {t.restore}
      </Button>
      <Button look="quiet" onPress={() => setAsking(true)}>
        <Trash2 /> {t.remove}
      </Button>
      <Dialog title={t.confirm(count)} isOpen={asking} onClose={() => setAsking(false)}>
        <p>{t.confirmHelp}</p>
        <DialogButtons>
          <Button onPress={() => setAsking(false)}>{t.cancel}</Button>
          <Button look="danger" isPending={pending} onPress={() => void run(remove, t.removed(count))}>
            {t.remove}
          </Button>
        </DialogButtons>
      </Dialog>
    </>
  )
}
