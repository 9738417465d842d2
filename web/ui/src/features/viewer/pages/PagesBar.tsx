import { ChevronDown, ChevronUp, Minus, Plus } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '~/components/button/Button'
import { useFormat, useTexts } from '~/text/context'
import css from './Pages.module.css'
import { texts } from './texts'

interface PagesBarProps {
  page: number
  count: number
  onGo: (page: number) => void
  onZoom: (by: 1 | -1) => void
}

/** The number of the visible page, and navigation to others. */
export function PagesBar({ page, count, onGo, onZoom }: PagesBarProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const [typed, setTyped] = useState<string | null>(null)
  const go = () => {
    const wanted = Number.parseInt(typed ?? '', 10)
    if (wanted > 0) onGo(wanted)
    setTyped(null)
  }
  return (
    <form
      className={css.bar}
      aria-label={t.pages}
      onSubmit={e => {
        e.preventDefault()
        go()
      }}
    >
      <IconButton label={t.previousPage} isDisabled={page <= 1} onPress={() => onGo(page - 1)}>
        <ChevronUp />
      </IconButton>
      <input
        aria-label={t.page}
        inputMode="numeric"
        value={typed ?? String(page)}
        style={{ width: `${String(count).length + 3}ch` }}
        onChange={e => setTyped(e.currentTarget.value)}
        onFocus={e => e.currentTarget.select()}
        onBlur={go}
      />
      <span className={css.of}>{t.ofPages(format.number(count))}</span>
      <IconButton label={t.nextPage} isDisabled={page >= count} onPress={() => onGo(page + 1)}>
        <ChevronDown />
      </IconButton>
      <IconButton label={t.further} onPress={() => onZoom(-1)}>
        <Minus />
      </IconButton>
      <IconButton label={t.closer} onPress={() => onZoom(1)}>
        <Plus />
      </IconButton>
    </form>
  )
}
