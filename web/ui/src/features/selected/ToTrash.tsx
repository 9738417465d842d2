import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '~/components/button/Button'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import type { LoadedList } from '~/features/assets/list'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import { type Preview, preview, type Start, selectionOf, told } from './bulk'
import { useToTrash } from './moves'
import { texts } from './texts'
import { Understood } from './Understood'

/** Moves the selection to the trash. A selected result is confirmed first, because it has assets out of view. */
export function ToTrash({ list }: { list: LoadedList }) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  const { moveNamed, move } = useToTrash(selection)
  const [asking, setAsking] = useState<{ body: Start; preview: Preview } | null>(null)
  const ask = () =>
    told(async () => {
      const body: Start = { type: 'bulk_delete', selection: await selectionOf(list, selection) }
      setAsking({ body, preview: await preview(body) })
    })
  const changed = format.number(asking?.preview.changed ?? 0)
  return (
    <>
      <IconButton
        label={t.toTrash}
        word={t.trashWord}
        onPress={() => void (selection.named ? moveNamed(selection.named) : ask())}
      >
        <Trash2 />
      </IconButton>
      {asking && (
        <ConfirmDialog
          title={t.confirmTrash(changed)}
          action={t.trashThem(changed)}
          isDisabled={asking.preview.changed === 0}
          onClose={() => setAsking(null)}
          onConfirm={() => move(asking.body)}
        >
          <Understood list={list} selection={selection} preview={asking.preview} />
          {asking.preview.invalid > 0 && <p>{t.invalid(format.number(asking.preview.invalid))}</p>}
          <p>{t.trashHelp}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
