/** Where the rows of a justified grid are. Every row but the last fills the width. */
export interface Layout {
  /** The first item of each row, and one more: the number of items. */
  first: Int32Array
  /** The height of each row, without the gap below it, in pixels. */
  heights: Float64Array
  rows: number
}

const flattest = 4 // panoramas are cut to this ratio, so that their row stays high enough to see
const tallest = 0.4

/** The ratio of width to height that a picture has in the grid. */
export function shownRatio(width: number | null, height: number | null): number {
  if (!width || !height) return 1
  return Math.min(flattest, Math.max(tallest, width / height))
}

/**
 * Sets items of the given ratios in rows of about the target height, in time and
 * memory linear in the number of items.
 */
export function justify(ratios: ArrayLike<number>, width: number, target: number, gap: number): Layout {
  const n = ratios.length
  const first: number[] = []
  const heights: number[] = []
  let start = 0
  let sum = 0
  for (let i = 0; i < n; i++) {
    sum += ratios[i] ?? 1
    const gaps = gap * (i - start)
    const height = (width - gaps) / sum
    if (height > target && i < n - 1) continue
    first.push(start)
    heights.push(Math.max(1, Math.min(height, i < n - 1 ? height : target)))
    start = i + 1
    sum = 0
  }
  first.push(n)
  return { first: Int32Array.from(first), heights: Float64Array.from(heights), rows: heights.length }
}

/** The row that an item is in. */
export function rowOf(layout: Layout, item: number): number {
  let low = 0
  let high = layout.rows - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((layout.first[middle] ?? 0) <= item) low = middle
    else high = middle - 1
  }
  return low
}
