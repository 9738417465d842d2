import { useEffect, useState } from 'react'
import type { Counts } from './upload'

/** The sent part, from 0 to 1. */
export function shareOf(c: Counts): number {
  return c.bytes > 0 ? Math.max(0, Math.min(1, c.sent / c.bytes)) : 1
}

const prefix = /^\d+\s?% · /

/** Shows the progress in the page's title. */
export function useTitleProgress(c: Counts) {
  const percent = c.here > c.missing ? `${Math.floor(shareOf(c) * 100)}% · ` : ''
  useEffect(() => {
    const plain = () => document.title.replace(prefix, '')
    const show = () => {
      if (document.title !== percent + plain()) document.title = percent + plain()
    }
    show()
    if (!percent) return
    // The next page sets its own title.
    const seen = new MutationObserver(show)
    const title = document.querySelector('title')
    if (title) seen.observe(title, { childList: true })
    return () => {
      seen.disconnect()
      document.title = plain()
    }
  }, [percent])
}

const every = 1000 // milliseconds
const samples = 10

/** The recent speed in bytes per second; null if unknown or idle. */
export function useRate(sent: number, going: boolean): number | null {
  const [seen] = useState<{ at: number; sent: number }[]>([])
  const [rate, setRate] = useState<number | null>(null)
  const [latest] = useState({ sent })
  latest.sent = sent
  useEffect(() => {
    seen.length = 0
    setRate(null)
    if (!going) return
    const timer = setInterval(() => {
      seen.push({ at: performance.now(), sent: latest.sent })
      if (seen.length > samples) seen.shift()
      const [first, last] = [seen[0], seen.at(-1)]
      if (!first || !last || last.at === first.at) return
      const r = (last.sent - first.sent) / ((last.at - first.at) / 1000)
      setRate(r > 0 ? r : null)
    }, every)
    return () => clearInterval(timer)
  }, [going, seen, latest])
  return rate
}
