import { useSyncExternalStore } from 'react'

/** The settings of an upload. */
export interface Settings {
  assetClass: number | null
  collections: { id: number; name: string }[]
  metadata: Record<string, unknown>
  /** Each uploaded folder becomes a collection. */
  folders: boolean
}

const storageKey = 'dal.upload'
const none: Settings = { assetClass: null, collections: [], metadata: {}, folders: false }
const listeners = new Set<() => void>()
let current = stored()

function stored(): Settings {
  try {
    return { ...none, ...(JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Settings>) }
  } catch {
    return none // written by something else
  }
}

export function settings(): Settings {
  return current
}

/** Stores the settings for the next uploads. */
export function saveSettings(s: Settings) {
  current = s
  localStorage.setItem(storageKey, JSON.stringify(s))
  for (const fn of listeners) fn()
}

function subscribe(fn: () => void) {
  listeners.add(fn)
  return () => listeners.delete(fn)
}

export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, settings)
}
