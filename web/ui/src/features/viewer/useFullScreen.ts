import { useEffect, useState, useSyncExternalStore } from 'react'

const idleAfter = 2500 // milliseconds without pointer movement

function subscribe(fn: () => void) {
  document.addEventListener('fullscreenchange', fn)
  return () => document.removeEventListener('fullscreenchange', fn)
}

/** The browser's full-screen mode; idle means that the pointer has not moved for a while. */
export function useFullScreen() {
  const on = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null)
  const [idle, setIdle] = useState(false)
  useEffect(() => {
    if (!on) return setIdle(false)
    let timer = 0
    const wake = () => {
      setIdle(false)
      clearTimeout(timer)
      timer = window.setTimeout(() => setIdle(true), idleAfter)
    }
    wake()
    const events = ['pointermove', 'pointerdown', 'focusin'] as const
    for (const e of events) document.addEventListener(e, wake)
    return () => {
      clearTimeout(timer)
      for (const e of events) document.removeEventListener(e, wake)
    }
  }, [on])
  // Closing the viewer exits full screen.
  useEffect(() => () => void (document.fullscreenElement && document.exitFullscreen()), [])
  const toggle = async () => {
    if (document.fullscreenElement) await document.exitFullscreen()
    else await document.documentElement.requestFullscreen?.()
  }
  return { on, idle, toggle: () => void toggle().catch(() => {}) }
}
