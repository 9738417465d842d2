import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import { NewShare } from './NewShare'
import { most } from './shares'
import { texts } from './texts'

/** Shares the selection of a list. */
export function ShareButton({ list }: { list: LoadedList }) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  const [isOpen, setOpen] = useState(false)
  const count = selection.count(list.total)
  const open = () => {
    if (count > most) toast({ text: t.tooMany(format.number(most)) })
    else setOpen(true)
  }
  const shown = {
    title: t.shareMany(format.number(count)),
    name: '',
    what: async () => ({ gaids: [...(await selectedGaids(list, selection))] }),
  }
  return (
    <>
      <IconButton label={t.share} word={t.share} onPress={open}>
        <Share2 />
      </IconButton>
      {isOpen && <NewShare shown={shown} onClose={() => setOpen(false)} />}
    </>
  )
}
