import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Input, SearchField } from 'react-aria-components'
import { useNavigate, useSearchParams } from 'react-router'
import { useTexts } from '~/text/context'
import css from './SearchBox.module.css'
import { texts } from './texts'

/** The one box: `/` goes to it from everywhere. */
export function SearchBox() {
  const t = useTexts(texts)
  const input = useRef<HTMLInputElement>(null)
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const asked = params.get('q') ?? ''
  const [text, setText] = useState(asked)
  useEffect(() => setText(asked), [asked])
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const typing =
        e.target instanceof HTMLElement &&
        (e.target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName))
      if (e.key !== '/' || typing || e.ctrlKey || e.metaKey || e.altKey) return
      e.preventDefault()
      input.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const go = (q: string) =>
    void navigate({ pathname: '/', search: q ? `?${new URLSearchParams({ q })}` : '' })
  return (
    <SearchField
      className={css.box}
      aria-label={t.search}
      value={text}
      onChange={setText}
      onSubmit={go}
      onClear={() => go('')}
    >
      <Search className={css.icon} aria-hidden />
      <Input ref={input} className={css.input} placeholder={t.placeholder} />
      <kbd className={css.key} aria-hidden>
        /
      </kbd>
    </SearchField>
  )
}
