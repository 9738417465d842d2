import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useSelection } from '~/features/selection/context'
import type { Snapshot } from '~/features/selection/selection'
import { type Geometry, type Span, touched } from './geometry'
import type { LoadedList } from './list'

const slack = 6 // pixels that a pointer may move without starting a drag
const longPress = 450 // milliseconds
const clickAfter = 300 // milliseconds within which a touch may still cause a click
const edge = 48 // pixels from the edge of the view within which it scrolls automatically

export interface Band {
  left: number
  top: number
  width: number
  height: number
}

interface Drag {
  pointer: number
  kind: 'band' | 'touch'
  /** The start, in the scrolled content, and the pointer's position in the window. */
  x: number
  y: number
  atX: number
  atY: number
  item: number
  base: Snapshot
  /** Whether the pointer moved. The content below it may move by itself, when the selection bar grows. */
  moved: boolean
  spans: Span[]
}

interface PointerProps {
  box: RefObject<HTMLDivElement | null>
  /** The element that contains the rows, with the geometry's origin at its upper left corner. */
  content: RefObject<HTMLDivElement | null>
  list: LoadedList
  geometry: Geometry
}

/**
 * Selection by dragging: a rectangle drawn with the mouse from empty space, or from anywhere with Shift, Ctrl or ⌘;
 * on a touch screen a long press, dragged to another item.
 */
export function usePointer({ box, content, list, geometry }: PointerProps) {
  const selection = useSelection()
  const [band, setBand] = useState<Band | null>(null)
  const drag = useRef<Drag | null>(null)
  const press = useRef<{ timer: number; x: number; y: number }>(undefined)
  const quiet = useRef(false) // ignores the click that ends a drag
  const latest = useRef({ list, geometry })
  latest.current = { list, geometry }

  const lift = () => window.clearTimeout(press.current?.timer)
  const inside = (clientX: number, clientY: number) => {
    const r = content.current?.getBoundingClientRect()
    return { x: clientX - (r?.left ?? 0), y: clientY - (r?.top ?? 0) }
  }
  const select = (spans: Span[]) => {
    const d = drag.current
    if (!d) return
    d.spans = spans
    const names: string[] = []
    for (const [from, to] of spans) {
      for (let i = from; i <= to; i++) {
        const gaid = latest.current.list.at(i)?.gaid
        if (gaid) names.push(gaid)
      }
    }
    selection.restore(d.base, names)
  }
  const follow = () => {
    const d = drag.current
    if (!d) return
    const { x, y } = inside(d.atX, d.atY)
    if (d.kind === 'touch') {
      const { geometry: g, list: l } = latest.current
      const hit = g.between(g.rowAt(y), x, x)
      const to = Math.min(l.total - 1, hit?.[0] ?? g.first(g.rowAt(y)))
      return select([[Math.min(d.item, to), Math.max(d.item, to)]])
    }
    const [left, right, top, bottom] = [
      Math.min(d.x, x),
      Math.max(d.x, x),
      Math.min(d.y, y),
      Math.max(d.y, y),
    ]
    setBand({ left, top, width: right - left, height: bottom - top })
    select(touched(latest.current.geometry, left, right, top, bottom))
  }
  const scroll = () => {
    const d = drag.current
    const el = box.current
    if (!d || !el) return
    const r = el.getBoundingClientRect()
    const past = Math.min(0, d.atY - r.top - edge) + Math.max(0, d.atY - r.bottom + edge)
    if (past !== 0 && d.moved) {
      el.scrollTop += past / 3
      follow()
    }
    requestAnimationFrame(scroll)
  }
  const begin = (e: PointerEvent, kind: Drag['kind'], item: number, base: Snapshot) => {
    drag.current = {
      pointer: e.pointerId,
      kind,
      ...inside(e.clientX, e.clientY),
      atX: e.clientX,
      atY: e.clientY,
      item,
      base,
      moved: false,
      spans: [],
    }
    requestAnimationFrame(scroll)
  }
  const end = async () => {
    lift()
    const d = drag.current
    drag.current = null
    setBand(null)
    if (!d || (d.kind === 'band' && !d.moved)) return
    quiet.current = true
    window.setTimeout(
      () => {
        quiet.current = false
      },
      d.kind === 'touch' ? clickAfter : 0,
    )
    // Items passed too quickly to be loaded are requested by name.
    const version = selection.version()
    const names = await Promise.all(d.spans.map(([from, to]) => latest.current.list.gaids(from, to)))
    if (selection.version() === version) selection.restore(d.base, names.flat())
  }

  useEffect(() => {
    const el = box.current
    const still = (e: TouchEvent) => drag.current && e.preventDefault()
    el?.addEventListener('touchmove', still, { passive: false })
    return () => el?.removeEventListener('touchmove', still)
  }, [box])

  const onPointerDown = (e: PointerEvent) => {
    quiet.current = false
    const target = e.target as Element
    const cell = target.closest<HTMLElement>('[data-index]')
    const item = Number(cell?.dataset.index ?? 0)
    if (e.pointerType === 'touch') {
      if (!cell) return
      const timer = window.setTimeout(() => {
        const gaid = latest.current.list.at(item)?.gaid
        if (!gaid) return
        const base = selection.snapshot()
        selection.startAt(item)
        begin(e, 'touch', item, base)
        select([[item, item]])
      }, longPress)
      press.current = { timer, x: e.clientX, y: e.clientY }
      return
    }
    const withKey = e.shiftKey || e.ctrlKey || e.metaKey
    if (e.button !== 0 || target.closest('button') || (cell && !withKey)) return
    const onBar = e.clientX > target.getBoundingClientRect().left + target.clientWidth
    if (!onBar) begin(e, 'band', item, withKey ? selection.snapshot() : { all: false, named: new Set() })
  }
  const onPointerMove = (e: PointerEvent) => {
    const d = drag.current
    if (!d) {
      const p = press.current
      if (p && Math.hypot(e.clientX - p.x, e.clientY - p.y) > slack) lift()
      return
    }
    if (e.pointerId !== d.pointer) return
    const far = Math.hypot(e.clientX - d.atX, e.clientY - d.atY) > slack
    if (!d.moved && !far) return
    if (!d.moved) e.currentTarget.setPointerCapture(e.pointerId)
    d.moved = true
    d.atX = e.clientX
    d.atY = e.clientY
    follow()
  }
  return {
    band,
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp: () => void end(),
      onPointerCancel: () => void end(),
      onContextMenu: (e: React.MouseEvent) => drag.current?.kind === 'touch' && e.preventDefault(),
      onClickCapture: (e: React.MouseEvent) => {
        if (!quiet.current) return
        e.preventDefault()
        e.stopPropagation()
      },
    },
  }
}
