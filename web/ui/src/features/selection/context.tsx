import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Selection, type Snapshot } from './selection'

const Context = createContext<Selection>(new Selection())

interface ProviderProps {
  /** Identifies the list; another one starts without a selection. */
  list: string
  /** Called with the previous list's selection, unless it was empty. */
  onCleared: (selection: Selection, before: Snapshot) => void
  children: ReactNode
}

/** Provides the selection of a list. */
export function SelectionProvider({ list, onCleared, children }: ProviderProps) {
  const [selection] = useState(() => new Selection())
  const shown = useRef(list)
  useEffect(() => {
    if (shown.current === list) return
    shown.current = list
    if (selection.isEmpty) return
    const before = selection.snapshot()
    selection.clear()
    onCleared(selection, before)
  }, [list, selection, onCleared])
  return <Context value={selection}>{children}</Context>
}

/** The list's selection; renders again when it changes. */
export function useSelection(): Selection {
  const selection = use(Context)
  useSyncExternalStore(selection.subscribe, selection.version)
  return selection
}

/** Whether one asset is selected, and whether any is; renders again when that changes. */
export function useSelected(gaid: string | undefined): {
  selection: Selection
  selected: boolean
  selecting: boolean
} {
  const selection = use(Context)
  const selected = useSyncExternalStore(selection.subscribe, () => gaid !== undefined && selection.has(gaid))
  const selecting = useSyncExternalStore(selection.subscribe, () => !selection.isEmpty)
  return { selection, selected, selecting }
}
