/** The rows of a justified grid. Every row except the last of a section fills the width. */
export interface Layout {
  /** The first item of each row, followed by the number of items. A heading has no items. */
  first: Int32Array
  /** The height of each row in pixels, without the gap below it. */
  heights: Float64Array
  /** The top of each row, followed by the total height. */
  tops: Float64Array
  /** The section whose heading a row is, or -1. */
  sections: Int32Array
  rows: number
}

const flattest = 4 // panoramas are cropped to this ratio, so that their row stays high enough
const tallest = 0.4

/** The aspect ratio of a picture in the grid. */
export function shownRatioOf(ratio: number): number {
  return Math.min(flattest, Math.max(tallest, ratio))
}

export function shownRatio(width: number | null, height: number | null): number {
  return width && height ? shownRatioOf(width / height) : 1
}

interface Measures {
  width: number
  /** The approximate height of a row. */
  target: number
  gap: number
  /** The height of a section's heading. */
  heading: number
}

/**
 * Arranges items of the given aspect ratios in rows, in linear time and memory. `sections` contains the first item of
 * each section with a heading.
 */
export function justify(ratios: ArrayLike<number>, m: Measures, sections: readonly number[] = []): Layout {
  const first: number[] = []
  const heights: number[] = []
  const headings: number[] = []
  const add = (item: number, height: number, section = -1) => {
    first.push(item)
    heights.push(Math.max(1, height))
    headings.push(section)
  }
  const bounds = sections.length > 0 ? sections : [0]
  bounds.forEach((start, section) => {
    const end = bounds[section + 1] ?? ratios.length
    if (sections.length > 0) add(start, m.heading, section)
    fill(ratios, start, end, m, add)
  })
  first.push(ratios.length)
  const tops = new Float64Array(heights.length + 1)
  heights.forEach((h, i) => {
    tops[i + 1] = (tops[i] ?? 0) + h + m.gap
  })
  return {
    first: Int32Array.from(first),
    heights: Float64Array.from(heights),
    tops,
    sections: Int32Array.from(headings),
    rows: heights.length,
  }
}

/** Arranges the items of one section. */
function fill(
  ratios: ArrayLike<number>,
  from: number,
  to: number,
  { width, target, gap }: Measures,
  add: (item: number, height: number) => void,
) {
  let start = from
  let sum = 0
  for (let i = from; i < to; i++) {
    sum += ratios[i] ?? 1
    const height = (width - gap * (i - start)) / sum
    if (height > target && i < to - 1) continue
    add(start, i < to - 1 ? height : Math.min(height, target))
    start = i + 1
    sum = 0
  }
}

/** The index of the last of the sorted values that does not exceed value. */
function lastNotAbove(values: ArrayLike<number>, end: number, value: number): number {
  let low = 0
  let high = end - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((values[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** The row of an item. */
export function rowOf(layout: Layout, item: number): number {
  return lastNotAbove(layout.first, layout.rows, item)
}

/** The row at a vertical position in the grid. */
export function rowAt(layout: Layout, y: number): number {
  return lastNotAbove(layout.tops, layout.rows, y)
}

/** The horizontal position of an item in its row. */
export function leftOf(layout: Layout, ratios: ArrayLike<number>, row: number, item: number, gap: number) {
  let x = 0
  for (let i = layout.first[row] ?? 0; i < item; i++) x += (ratios[i] ?? 1) * (layout.heights[row] ?? 0) + gap
  return x
}
