import { Trash2 } from 'lucide-react'
import { ApiError } from '~/api/client'
import { IconButton } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import { useTrash } from './asset'
import { type LoadedList, selectedGaids } from './list'
import { texts } from './texts'

/** Moves what is selected to the trash; the message afterwards takes it back. */
export function TrashButton({ list }: { list: LoadedList }) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  const { trash, restore } = useTrash()
  const run = async () => {
    try {
      const gaids = await selectedGaids(list, selection)
      await trash(gaids)
      selection.clear()
      toast({
        text: t.trashed(format.number(gaids.length)),
        action: { label: t.undo, run: () => void restore(gaids) },
      })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  return (
    <IconButton label={t.toTrash} onPress={() => void run()}>
      <Trash2 />
    </IconButton>
  )
}
