import { Search } from 'lucide-react'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { isNarrow } from '~/components/narrow'
import { useTexts } from '~/text/context'
import css from './Box.module.css'
import { texts } from './texts'

const Box = lazy(() => import('./Box'))

/** The search box: `/` focuses it from everywhere. */
export function SearchBox() {
  const [called, setCalled] = useState(0)
  const early = useRef<string | null>(null)
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target)) return
      if (document.querySelector('[role="dialog"]')) return // the content below a dialog is inaccessible
      e.preventDefault()
      setCalled(n => n + 1)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <Suspense fallback={<Coming called={called} early={early} />}>
      <Box called={called} early={early} />
    </Suspense>
  )
}

function isTyping(target: EventTarget | null) {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.role === 'spinbutton'
  )
}

/** The placeholder until the search box is loaded; text typed into it is taken over. */
function Coming({ called, early }: { called: number; early: RefObject<string | null> }) {
  const t = useTexts(texts)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (called > 0) input.current?.focus()
  }, [called])
  return (
    <div className={css.box}>
      <Search className={css.icon} aria-hidden />
      <input
        ref={input}
        className={css.input}
        placeholder={isNarrow() ? t.short : t.placeholder}
        aria-label={t.search}
        onFocus={() => {
          early.current ??= ''
        }}
        onChange={e => {
          early.current = e.currentTarget.value
        }}
      />
    </div>
  )
}
