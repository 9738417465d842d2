import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useSelection } from '~/features/selection/context'
import type { LoadedList } from './list'
import type { Move } from './move'

interface CellsProps {
  box: RefObject<HTMLDivElement | null>
  list: LoadedList
  /** The asset open above the list. */
  open: string | undefined
  move: Move
  rowsInView: () => number
  /** Scrolls an item into view: minimally, or to the middle. */
  scrollTo: (item: number) => void
  reveal: (item: number) => void
  onOpen: (gaid: string) => void
}

/** Focus, keys and clicks, shared by all views of a list. */
export function useCells({ box, list, open, move, rowsInView, scrollTo, reveal, onOpen }: CellsProps) {
  const selection = useSelection()
  const [focused, setFocused] = useState(0)
  const moving = useRef(false)
  const current = Math.min(focused, Math.max(0, list.total - 1))

  const goTo = (index: number) => {
    setFocused(index)
    moving.current = true
    scrollTo(index)
  }
  /** Focuses an item that is to get the focus, once its row is rendered. */
  const arrive = (index: number) => {
    if (!moving.current) return
    const cell = box.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)
    if (!cell) return
    moving.current = false
    cell.focus({ preventScroll: true })
  }
  useEffect(() => arrive(current))

  // The list follows the asset in the viewer above it, and gets the focus afterwards.
  const wasOpen = useRef<string>(undefined)
  const latest = useRef({ list, reveal, arrive })
  latest.current = { list, reveal, arrive }
  useEffect(() => {
    const seen = open ?? wasOpen.current
    const closed = open === undefined && wasOpen.current !== undefined
    wasOpen.current = open
    const index = seen === undefined ? null : latest.current.list.indexOf(seen)
    if (index === null) return
    setFocused(index)
    latest.current.reveal(index)
    moving.current = closed
    latest.current.arrive(index)
  }, [open])

  const selectTo = async (index: number, only: boolean) => {
    const anchor = selection.anchor ?? index
    const names = await list.gaids(Math.min(anchor, index), Math.max(anchor, index))
    selection.add(names, only)
  }

  const onKeyDown = (e: KeyboardEvent) => {
    if (e.target instanceof Element && e.target.closest('[data-index]') === null) return
    const next = e.altKey || e.ctrlKey || e.metaKey ? null : move(e.key, current, rowsInView())
    const gaid = list.at(current)?.gaid
    if (next !== null) {
      if (e.shiftKey) {
        if (selection.anchor === null) selection.startAt(current)
        void selectTo(next, true)
      }
      goTo(next)
    } else if (e.key === ' ' && gaid) {
      selection.toggle(gaid, current)
    } else if (e.key === 'Enter' && gaid) {
      onOpen(gaid)
    } else if (e.key === 'a' && (e.ctrlKey || e.metaKey)) {
      selection.all()
    } else if (e.key === 'Escape' && !selection.isEmpty) {
      selection.clear()
    } else return
    e.preventDefault()
    e.stopPropagation()
  }

  /** Keys apply to the focused item, however it got the focus. */
  const onFocus = (e: FocusEvent) => {
    const cell = e.target.closest<HTMLElement>('[data-index]')
    if (cell) setFocused(Number(cell.dataset.index))
  }

  const click = (e: MouseEvent, index: number) => {
    const gaid = list.at(index)?.gaid
    if (!gaid) return
    setFocused(index)
    moving.current = true
    const onBox = e.target instanceof Element && e.target.closest('[data-check]') !== null
    const plain = !e.ctrlKey && !e.metaKey && !e.shiftKey
    if (e.shiftKey && selection.anchor !== null) void selectTo(index, !(e.ctrlKey || e.metaKey))
    else if (onBox || !plain || !selection.isEmpty) selection.toggle(gaid, index)
    else onOpen(gaid)
    e.preventDefault()
  }
  const latestClick = useRef(click)
  latestClick.current = click
  const onClick = useCallback((e: MouseEvent, index: number) => latestClick.current(e, index), [])

  return { selection, focused: current, goTo, onFocus, onKeyDown, onClick }
}
