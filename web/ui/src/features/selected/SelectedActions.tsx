import { FileDown, Pencil } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '~/api/client'
import { IconButton } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { TrashButton } from '~/features/assets/TrashButton'
import { AddButton } from '~/features/collections/AddButton'
import { EditDialog } from '~/features/operations/EditDialog'
import { selectionOf, useStart } from '~/features/operations/operations'
import { texts } from '~/features/operations/texts'
import { useSelection } from '~/features/selection/context'
import { useTexts } from '~/text/context'

/** What can be done with the selected assets of a list. */
export function SelectedActions({ list }: { list: LoadedList }) {
  const t = useTexts(texts)
  const selection = useSelection()
  const start = useStart()
  const [editing, setEditing] = useState(false)
  const exportZIP = async () => {
    try {
      const body = { type: 'export', format: 'zip', selection: await selectionOf(list, selection) } as const
      await start.mutateAsync({ key: crypto.randomUUID(), body })
      toast({ text: t.started })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  return (
    <>
      <IconButton label={t.edit} onPress={() => setEditing(true)}>
        <Pencil />
      </IconButton>
      <AddButton gaids={() => selectedGaids(list, selection)} onAdded={() => selection.clear()} />
      <IconButton label={t.export} onPress={() => void exportZIP()}>
        <FileDown />
      </IconButton>
      <TrashButton list={list} />
      {editing && (
        <EditDialog
          count={selection.count(list.total)}
          selection={() => selectionOf(list, selection)}
          onClose={() => setEditing(false)}
          onStarted={() => selection.clear()}
        />
      )}
    </>
  )
}
