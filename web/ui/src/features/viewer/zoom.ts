/** How a picture lies in its frame: enlarged, and moved from the middle in pixels. */
export interface Placement {
  scale: number // 1 fits the frame
  x: number
  y: number
}

export const fitted: Placement = { scale: 1, x: 0, y: 0 }
const largest = 16

/** Enlarges about a point of the frame, given from its middle. */
export function zoomed(p: Placement, factor: number, x: number, y: number): Placement {
  const scale = Math.min(largest, Math.max(1, p.scale * factor))
  const f = scale / p.scale
  return scale === 1 ? fitted : { scale, x: x - (x - p.x) * f, y: y - (y - p.y) * f }
}

/** Moves, so far that some of the picture stays in a frame of the given size. */
export function panned(p: Placement, dx: number, dy: number, width: number, height: number): Placement {
  const limit = (v: number, size: number) => {
    const most = (size * (p.scale - 1)) / 2 + size / 4
    return Math.min(most, Math.max(-most, v))
  }
  return { ...p, x: limit(p.x + dx, width), y: limit(p.y + dy, height) }
}
