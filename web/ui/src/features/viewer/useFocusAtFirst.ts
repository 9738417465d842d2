import { type RefObject, useEffect, useRef } from 'react'

/**
 * Gives what scrolls the focus when it appears, unless something in use has it, so that its keys work at once.
 * Nobody has chosen it then: it is marked until the focus goes on, to be drawn without a ring.
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
