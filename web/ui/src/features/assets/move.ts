import { type Layout, leftOf, rowOf } from './justified'

/** The item that a key moves to from another one; null for other keys. */
export type Move = (key: string, from: number, rowsInView: number) => number | null

/** Keys in a grid: up and down keep the horizontal position. */
export function movesIn(layout: Layout, ratios: ArrayLike<number>): Move {
  const across = (from: number, by: number) => otherRow(from, by, layout, ratios)
  return moves(ratios.length, across, 1)
}

/** Keys in a list of rows. */
export function movesDown(total: number): Move {
  return moves(total, (from, by) => Math.min(total - 1, Math.max(0, from + by)), 0)
}

function moves(total: number, across: (from: number, by: number) => number, sideways: 0 | 1): Move {
  return (key, from, rowsInView) => {
    switch (key) {
      case 'ArrowLeft':
        return sideways ? Math.max(0, from - 1) : null
      case 'ArrowRight':
        return sideways ? Math.min(total - 1, from + 1) : null
      case 'Home':
        return 0
      case 'End':
        return total - 1
      case 'ArrowUp':
        return across(from, -1)
      case 'ArrowDown':
        return across(from, 1)
      case 'PageUp':
        return across(from, -rowsInView)
      case 'PageDown':
        return across(from, rowsInView)
    }
    return null
  }
}

/** The item in a row above or below; headings are skipped. */
function otherRow(from: number, by: number, layout: Layout, ratios: ArrayLike<number>): number {
  const row = rowOf(layout, from)
  const way = Math.sign(by)
  let to = row
  let left = Math.abs(by)
  for (let r = row + way; r >= 0 && r < layout.rows && left > 0; r += way) {
    if ((layout.sections[r] ?? -1) >= 0) continue
    to = r
    left--
  }
  if (to === row) return from
  const middle = (leftOf(layout, ratios, row, from, 0) + leftOf(layout, ratios, row, from + 1, 0)) / 2
  const end = (layout.first[to + 1] ?? 0) - 1
  for (let i = layout.first[to] ?? 0; i < end; i++) {
    if (leftOf(layout, ratios, to, i + 1, 0) > middle) return i
  }
  return end
}
