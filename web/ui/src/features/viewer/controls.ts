/** What keys and buttons ask of what is in view; what it cannot do is left out. */
export interface ViewControls {
  closer?: () => void
  further?: () => void
  /** From fit to actual size and back. */
  toggle?: () => void
  /** By shares of the frame. */
  pan?: (dx: number, dy: number) => void
  /** Plays, or pauses. */
  play?: () => void
  /** Goes on by seconds, or back. */
  skip?: (seconds: number) => void
  /** Goes on by frames, or back. */
  frame?: (by: number) => void
  /** Plays faster by a step, or slower. */
  speed?: (by: 1 | -1) => void
  mute?: () => void
  /** Turns pages on, or back. */
  page?: (by: number) => void
}
