import { useSyncExternalStore } from 'react'

const query = '(max-width: 56rem)' // where a panel beside a list leaves it too little room

function subscribe(fn: () => void) {
  const media = window.matchMedia(query)
  media.addEventListener('change', fn)
  return () => media.removeEventListener('change', fn)
}

/** Whether the window is too narrow for a panel beside a list. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}
