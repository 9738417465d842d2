import { useCallback, useMemo, useRef } from 'react'
import { useLocation, useSearchParams } from 'react-router'

/** A scroll position in a list: an asset, and the offset in pixels from the top of its row. */
export interface Place {
  gaid: string | undefined
  index: number
  offset: number
}

/** The start of a list. */
export const begin: Place = { gaid: undefined, index: 0, offset: -1000 } // above all headings
const below = -60 // pixels above a named asset, room for its heading

/** A stored position, and the page load that stored it. */
type Kept = Place & { loaded?: number }

function read(key: string): Place | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Kept | null
    return kept?.loaded !== performance.timeOrigin && isNew() ? null : kept
  } catch {
    return null
  }
}

/** Whether the application was opened by a new navigation, not by a reload or the back button. */
function isNew() {
  const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return opened?.type === 'navigate'
}

function write(key: string, place: Place) {
  try {
    sessionStorage.setItem(key, JSON.stringify({ ...place, loaded: performance.timeOrigin }))
  } catch {
    // The browser does not store it; the URL still contains the position.
  }
}

/** Puts an asset into the page's URL, for reloads and sharing, without adding a history entry. */
function writeAddress(gaid: string | undefined) {
  const url = new URL(window.location.href)
  if (gaid) url.searchParams.set('at', gaid)
  else url.searchParams.delete('at')
  if (url.href !== window.location.href) window.history.replaceState(window.history.state, '', url)
}

export interface KeptPlace {
  /** The current position; views update it while scrolling. */
  current: Place
  /** Stores it for this history entry. */
  keep: () => void
}

/**
 * The position in a list for this history entry: the stored one after returning or reloading, otherwise the one from
 * the URL or of the open asset, otherwise the start.
 */
export function usePlace(list: string, open: string | undefined): KeptPlace {
  const { key } = useLocation()
  const [params] = useSearchParams()
  const at = params.get('at') ?? undefined
  const entry = `dal.place ${key} ${list}`
  const shown = useRef<string>(undefined)
  const current = useRef<Place>(begin)
  const state = useRef({ entry, open })
  if (shown.current !== list) {
    const first = shown.current === undefined
    const named = open ?? (first ? at : undefined)
    current.current = read(entry) ?? (named ? { gaid: named, index: 0, offset: below } : begin)
    shown.current = list
  }
  state.current = { entry, open }
  const keep = useCallback(() => {
    write(state.current.entry, current.current)
    if (!state.current.open) writeAddress(current.current.index > 0 ? current.current.gaid : undefined)
  }, [])
  return useMemo(
    () => ({
      get current() {
        return current.current
      },
      set current(place: Place) {
        current.current = place
      },
      keep,
    }),
    [keep],
  )
}
