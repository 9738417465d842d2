import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect } from 'react'
import type { Geometry } from './geometry'
import type { LoadedList } from './list'
import type { KeptPlace } from './place'

const keptAfter = 250 // milliseconds without scrolling

interface RowsProps {
  box: RefObject<HTMLDivElement | null>
  list: LoadedList
  geometry: Geometry
  place: KeptPlace
  /** The height above the first row, and that of the overlay at the view's upper edge, in pixels. */
  above?: number
  covered: number
}

/** The visible rows. The view keeps its position when the rows change, and stores it. */
export function useRows({ box, list, geometry, place, above = 0, covered }: RowsProps) {
  const rows = useVirtualizer({
    count: geometry.rows,
    getScrollElement: () => box.current,
    estimateSize: row => geometry.top(row + 1) - geometry.top(row),
    scrollMargin: above,
    scrollPaddingStart: covered,
    overscan: 2,
  })

  useLayoutEffect(() => {
    const el = box.current
    rows.measure()
    if (!el || geometry.rows === 0) return
    const { gaid, index, offset } = place.current
    const found = list.anchor && list.anchor.gaid === gaid ? list.anchor.index : index
    const item = Math.min(found, list.total - 1)
    place.current = { gaid, index: item, offset }
    el.scrollTop = geometry.top(geometry.rowOf(item)) + offset
  }, [box, geometry, list, place, rows])

  useEffect(() => {
    const el = box.current
    if (!el || geometry.rows === 0) return
    let timer: number | undefined
    const keep = () => {
      const { index, offset } = place.current
      place.current = { gaid: index > 0 ? list.at(index)?.gaid : undefined, index, offset }
      place.keep()
    }
    const onScroll = () => {
      const index = geometry.first(geometry.rowAt(el.scrollTop))
      const gaid = index > 0 ? list.at(index)?.gaid : undefined
      place.current = { gaid, index, offset: el.scrollTop - geometry.top(geometry.rowOf(index)) }
      window.clearTimeout(timer)
      timer = window.setTimeout(keep, keptAfter)
    }
    el.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      el.removeEventListener('scroll', onScroll)
      window.clearTimeout(timer)
    }
  }, [box, geometry, list, place])

  const shown = rows.getVirtualItems()
  const first = shown[0]?.index ?? 0
  const last = shown.at(-1)?.index ?? 0
  /** Scrolls to an item's row, to the middle if it is out of view. */
  const reveal = (item: number) => {
    const el = box.current
    const row = geometry.rowOf(item)
    if (!el) return
    const upper = el.scrollTop + covered - above
    const lower = el.scrollTop + el.clientHeight - above
    const inView = geometry.top(row) >= upper && geometry.top(row + 1) <= lower
    if (!inView) rows.scrollToIndex(row, { align: 'center' })
  }
  return {
    rows,
    shown,
    reveal,
    from: geometry.first(first),
    to: last + 1 < geometry.rows ? geometry.first(last + 1) - 1 : list.total - 1,
  }
}
