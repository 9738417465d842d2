/** The placement of a picture in its frame: zoomed, and moved from the center in fractions of the frame. */
export interface Placement {
  scale: number // 1 fits the frame
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

export const fitted: Placement = { scale: 1, x: 0, y: 0 }

/** The size at which a picture fits a frame; small ones are not enlarged. */
export function fit(picture: Size, frame: Size): Size {
  const by = Math.min(1, frame.width / picture.width, frame.height / picture.height)
  return { width: picture.width * by, height: picture.height * by }
}

/** Zooms around a point of the frame, given in fractions of it from its center. */
export function zoomed(p: Placement, factor: number, x: number, y: number, largest: number): Placement {
  const scale = Math.min(largest, Math.max(1, p.scale * factor))
  const f = scale / p.scale
  return scale === 1 ? fitted : { scale, x: x - (x - p.x) * f, y: y - (y - p.y) * f }
}

/** Moves the picture, at most until its edge meets that of the frame. */
export function panned(p: Placement, dx: number, dy: number, picture: Size, frame: Size): Placement {
  const limit = (v: number, size: number, within: number) => {
    const most = Math.max(0, (size * p.scale - within) / 2 / within)
    return Math.min(most, Math.max(-most, v))
  }
  return {
    scale: p.scale,
    x: limit(p.x + dx, picture.width, frame.width),
    y: limit(p.y + dy, picture.height, frame.height),
  }
}
