import { type PointerEvent, useRef } from 'react'

interface Point {
  x: number
  y: number
}

interface Handlers {
  /** The position of a point of the window, in fractions of the frame from its center. */
  at: (x: number, y: number) => Point
  onZoom: (factor: number, at: Point) => void
  /** In fractions of the frame. */
  onPan: (dx: number, dy: number) => void
  onDoubleTap: (at: Point) => void
  /** Whether a drag moves the picture; otherwise it moves to a neighbor or closes. */
  pans: () => boolean
  /** In pixels during a horizontal drag; null if it ends without a turn. */
  onDrag?: ((dx: number | null) => void) | undefined
  onTurn?: ((by: 1 | -1) => void) | undefined
  onDown?: (() => void) | undefined
}

const doubleTap = 300 // milliseconds
const nearby = 24 // pixels
const turnFrom = 60 // minimum length of a swipe in pixels
const downFrom = 100

/** Pinch, pan, double tap and swipe, based on pointer events. */
export function useGestures(h: Handlers) {
  const pointers = useRef(new Map<number, Point>())
  const start = useRef<(Point & { fingers: number; touch: boolean }) | null>(null)
  const lastTap = useRef<(Point & { at: number }) | null>(null)

  const onPointerDown = (e: PointerEvent<HTMLElement>) => {
    if (e.button !== 0) return
    pointers.current.set(e.pointerId, { x: e.clientX, y: e.clientY })
    e.currentTarget.setPointerCapture(e.pointerId)
    const fingers = pointers.current.size
    if (fingers > 1) h.onDrag?.(null)
    start.current = { x: e.clientX, y: e.clientY, fingers, touch: e.pointerType !== 'mouse' }
  }

  const onPointerMove = (e: PointerEvent<HTMLElement>) => {
    const before = pointers.current.get(e.pointerId)
    if (!before) return
    const now = { x: e.clientX, y: e.clientY }
    const other = [...pointers.current].find(([id]) => id !== e.pointerId)?.[1]
    pointers.current.set(e.pointerId, now)
    if (other) {
      const apart = (p: Point) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y))
      h.onZoom(apart(now) / apart(before), h.at((now.x + other.x) / 2, (now.y + other.y) / 2))
      return
    }
    if (h.pans()) {
      const a = h.at(before.x, before.y)
      const b = h.at(now.x, now.y)
      h.onPan(b.x - a.x, b.y - a.y)
    } else if (start.current?.touch && start.current.fingers === 1) {
      h.onDrag?.(now.x - start.current.x)
    }
  }

  const onPointerUp = (e: PointerEvent<HTMLElement>) => {
    const s = start.current
    const had = pointers.current.delete(e.pointerId)
    if (!had || !s || pointers.current.size > 0) return
    start.current = null
    h.onDrag?.(null)
    const dx = e.clientX - s.x
    const dy = e.clientY - s.y
    if (s.fingers > 1) return
    if (Math.hypot(dx, dy) < nearby) return tap({ x: e.clientX, y: e.clientY })
    if (!s.touch || h.pans()) return
    if (Math.abs(dx) > turnFrom && Math.abs(dx) > Math.abs(dy)) h.onTurn?.(dx < 0 ? 1 : -1)
    else if (dy > downFrom && dy > Math.abs(dx)) h.onDown?.()
  }

  const tap = (p: Point) => {
    const last = lastTap.current
    const twice = last && Date.now() - last.at < doubleTap && Math.hypot(p.x - last.x, p.y - last.y) < nearby
    lastTap.current = twice ? null : { ...p, at: Date.now() }
    if (twice) h.onDoubleTap(h.at(p.x, p.y))
  }

  const onPointerCancel = (e: PointerEvent<HTMLElement>) => {
    pointers.current.delete(e.pointerId)
    start.current = null
    h.onDrag?.(null)
  }
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel }
}
