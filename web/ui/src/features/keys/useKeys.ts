import { useEffect, useRef } from 'react'
import { type KeyName, pressed, table } from './table'

type Actions = { [K in KeyName]?: ((key: string) => void) | undefined }

/** Elements that handle keys themselves while focused. */
const takesKeys =
  'input, textarea, select, video, audio, [contenteditable], [aria-haspopup=listbox], [role=combobox], [role=slider]'
const floats = '[role=dialog]:not([data-viewer]), [role=alertdialog], [role=menu], [role=listbox]'

function heard(e: KeyboardEvent, within: string | undefined): boolean {
  if (e.defaultPrevented || e.altKey || !(e.target instanceof Element)) return false
  if (e.target.closest(takesKeys)) return false
  if (!within) return e.target.closest(floats) === null
  if (e.target !== document.body) return e.target.closest(within) !== null
  // Without a focused element, keys apply to the topmost layer.
  const top = ['[role=dialog]:not([data-viewer])', '[data-viewer]', within]
    .map(place => document.querySelector(place))
    .find(Boolean)
  return top?.matches(within) ?? false
}

/**
 * Binds keys of the table while the component is mounted. `within` selects the part of the page that must have the
 * focus, or get the keys if nothing has it; without it they work wherever no dialog is open.
 */
export function useKeys(actions: Actions, within?: string) {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (!heard(e, within)) return
      const key = pressed(e)
      for (const [name, action] of Object.entries(latest.current)) {
        const keys: readonly string[] = table[name as KeyName].keys
        if (!action || !keys.includes(key)) continue
        e.preventDefault()
        action(key)
        return
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [within])
}
