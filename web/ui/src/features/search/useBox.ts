import { useCallback, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'

const pause = 60 // milliseconds without a key before the library is asked

/** The address that has a search in place of another; on another page it begins anew. */
function searched(params: URLSearchParams, q: string): string {
  const next = new URLSearchParams(params)
  if (q) next.set('q', q)
  else next.delete('q')
  if (!q && next.get('sort_by') === 'relevance') next.delete('sort_by')
  next.delete('at')
  return next.toString()
}

/**
 * The text of the search box and where it leads. On the library's page the
 * results follow each key, in one entry of the history; elsewhere Enter searches.
 */
export function useBox() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const asked = params.get('q') ?? ''
  const [text, setText] = useState(asked)
  const sent = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isLibrary = pathname === '/'
  // A list that was searched already, such as a collection's, is searched again.
  const isHere = isLibrary || (asked !== '' && !pathname.includes('/assets/'))

  useEffect(() => {
    if (!sent.current.has(asked)) setText(asked)
  }, [asked])
  useEffect(() => () => clearTimeout(timer.current), [])

  const go = useCallback(
    (q: string, where: 'here' | 'library') => {
      clearTimeout(timer.current)
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
    if (isLibrary) timer.current = setTimeout(() => latest.current(typed.trim(), 'here'), pause)
  }
  const latest = useRef(go)
  latest.current = go
  const left = () => {
    sent.current.clear()
  }
  return { text, setText, type, go, left, asked, isHere, isLibrary }
}
