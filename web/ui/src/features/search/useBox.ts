import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'

// Milliseconds without a key press before the library is queried again; the first key press after a pause queries
// immediately.
const pause = 60
const rest = 250

/** The URL with a search replaced by another; on another page, a new search. */
function searched(params: URLSearchParams, q: string): string {
  const next = new URLSearchParams(params)
  if (q) next.set('q', q)
  else next.delete('q')
  if (!q) next.delete('meaning')
  if (!q && next.get('sort_by') === 'relevance') next.delete('sort_by')
  next.delete('at')
  return next.toString()
}

/**
 * The text of the search box and its target. On the library page, results update with each key press, in one history
 * entry; elsewhere Enter searches.
 */
export function useBox() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const asked = params.get('q') ?? ''
  const [text, setText] = useState(asked)
  const sent = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const waiting = useRef<string | null>(null) // typed, but not queried yet
  const askedAt = useRef(-Infinity)
  const isLibrary = pathname === '/'
  // A list that is already searched, such as a collection's, is searched again.
  const isHere = isLibrary || (asked !== '' && !pathname.includes('/assets/'))

  useEffect(() => {
    if (!sent.current.has(asked)) setText(asked)
  }, [asked])
  useEffect(() => () => clearTimeout(timer.current), [])

  const go = useCallback(
    (q: string, where: 'here' | 'library') => {
      clearTimeout(timer.current)
      waiting.current = null
      const replace = sent.current.size > 0 && where === 'here'
      sent.current.add(q)
      if (where === 'here' && q === asked) return
      const search = where === 'here' || isLibrary ? searched(params, q) : searched(new URLSearchParams(), q)
      void navigate({ pathname: where === 'here' ? pathname : '/', search }, { replace })
    },
    [asked, isLibrary, navigate, params, pathname],
  )
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    if (!isLibrary) return
    waiting.current = typed.trim()
    timer.current = setTimeout(ask, performance.now() - askedAt.current > rest ? 0 : pause)
  }
  const ask = () => {
    if (waiting.current === null) return
    askedAt.current = performance.now()
    latest.current(waiting.current, 'here')
  }
  const latest = useRef(go)
  latest.current = go
  /** Queries the latest text; returns whether its results are, or will be, visible. */
  const left = () => {
    ask()
    const isAsked = asked === text.trim() || sent.current.has(text.trim())
    sent.current.clear()
    return isAsked
  }
  return { text, setText, type, go, left, asked, isHere, isLibrary }
}
