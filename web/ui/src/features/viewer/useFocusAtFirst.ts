import { type RefObject, useEffect, useRef } from 'react'

/**
 * Focuses a scroll area when it appears, unless a control has the focus, so that its keys work immediately. As the
 * user did not choose it, it is marked to have no focus ring until the focus moves.
 */
export function useFocusAtFirst<T extends HTMLElement>(): RefObject<T | null> {
  const box = useRef<T>(null)
  useEffect(() => {
    const el = box.current
    const has = document.activeElement
    if (!el || !(has === document.body || has?.matches('[data-viewer]'))) return
    el.dataset.unchosen = ''
    el.addEventListener('blur', () => delete el.dataset.unchosen, { once: true })
    el.focus({ preventScroll: true })
  }, [])
  return box
}
