import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { useTexts } from '~/text/context'
import { useMayAsk } from './handIn'
import { texts } from './handInTexts'
import { NewShare } from './NewShare'

/** Requests guest uploads, which are added to a new collection. */
export function AskButton() {
  const t = useTexts(texts)
  const mayAsk = useMayAsk()
  const [isOpen, setOpen] = useState(false)
  if (!mayAsk) return null
  const shown = {
    title: t.ask,
    name: '',
    help: `${t.help} ${t.newCollection}`,
    asks: true,
    what: async () => ({ type: 'upload' as const }),
  }
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <Inbox /> {t.ask}
      </Button>
      {isOpen && <NewShare shown={shown} onClose={() => setOpen(false)} />}
    </>
  )
}
