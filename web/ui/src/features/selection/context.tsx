import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import { Selection } from './selection'

const Context = createContext<Selection>(new Selection())

/** Gives a list its selection; another list, by its name, begins with none. */
export function SelectionProvider({ list, children }: { list: string; children: ReactNode }) {
  const [selection] = useState(() => new Selection())
  useEffect(() => {
    void list
    selection.clear()
  }, [list, selection])
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
