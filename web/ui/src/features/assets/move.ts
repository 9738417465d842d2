import { type Layout, rowOf } from './justified'

/** The item that a key goes to from another, as in a grid of text: up and down keep to the same place. */
export function moved(
  key: string,
  from: number,
  layout: Layout,
  ratios: ArrayLike<number>,
  rowsInView: number,
): number | null {
  const last = ratios.length - 1
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, from - 1)
    case 'ArrowRight':
      return Math.min(last, from + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    case 'ArrowUp':
      return across(from, -1, layout, ratios)
    case 'ArrowDown':
      return across(from, 1, layout, ratios)
    case 'PageUp':
      return across(from, -rowsInView, layout, ratios)
    case 'PageDown':
      return across(from, rowsInView, layout, ratios)
  }
  return null
}

function across(from: number, by: number, layout: Layout, ratios: ArrayLike<number>): number {
  const row = rowOf(layout, from)
  const to = Math.min(layout.rows - 1, Math.max(0, row + by))
  if (to === row) return from
  const middle = (share(layout, ratios, row, from) + share(layout, ratios, row, from + 1)) / 2
  const end = (layout.first[to + 1] ?? 0) - 1
  for (let i = layout.first[to] ?? 0; i < end; i++) {
    if (share(layout, ratios, to, i + 1) > middle) return i
  }
  return end
}

/** How far along its row an item begins, in pixels without gaps. */
function share(layout: Layout, ratios: ArrayLike<number>, row: number, item: number): number {
  let sum = 0
  for (let i = layout.first[row] ?? 0; i < item; i++) sum += ratios[i] ?? 1
  return sum * (layout.heights[row] ?? 0)
}
