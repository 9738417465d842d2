import { type Layout, leftOf, rowAt, rowOf } from './justified'

/** A range of items, both ends included. */
export type Span = readonly [from: number, to: number]

/** The positions of a view's rows, in pixels of the scrolled content, and the items in them. */
export interface Geometry {
  rows: number
  /** The top of a row; for the number of rows, the bottom of the last one. */
  top: (row: number) => number
  rowAt: (y: number) => number
  rowOf: (item: number) => number
  /** The first item in a row. */
  first: (row: number) => number
  /** The items in a row between two horizontal positions; null for none. */
  between: (row: number, left: number, right: number) => Span | null
}

/** The geometry of a justified grid. */
export function gridGeometry(layout: Layout, ratios: ArrayLike<number>, gap: number): Geometry {
  return {
    rows: layout.rows,
    top: row => layout.tops[row] ?? 0,
    rowAt: y => rowAt(layout, y),
    rowOf: item => rowOf(layout, item),
    first: row => layout.first[row] ?? 0,
    between: (row, left, right) => {
      if ((layout.sections[row] ?? -1) >= 0) return null
      const hit: number[] = []
      for (let i = layout.first[row] ?? 0; i < (layout.first[row + 1] ?? 0); i++) {
        const x = leftOf(layout, ratios, row, i, gap)
        const end = x + (ratios[i] ?? 1) * (layout.heights[row] ?? 0)
        if (x <= right && end >= left) hit.push(i)
      }
      return hit.length > 0 ? [hit[0] ?? 0, hit.at(-1) ?? 0] : null
    },
  }
}

/** The geometry of rows with one item each. */
export function rowGeometry(total: number, height: number): Geometry {
  const row = (n: number) => Math.max(0, Math.min(total - 1, n))
  return {
    rows: total,
    top: n => n * height,
    rowAt: y => row(Math.floor(y / height)),
    rowOf: row,
    first: row,
    between: n => [n, n],
  }
}

/** The items that a rectangle intersects. */
export function touched(g: Geometry, left: number, right: number, top: number, bottom: number): Span[] {
  const spans: Span[] = []
  for (let row = g.rowAt(top); row < g.rows && g.top(row) <= bottom; row++) {
    const span = g.between(row, left, right)
    if (span) spans.push(span)
  }
  return spans
}
