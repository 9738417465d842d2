/** The actions of keys and buttons on the displayed asset; unsupported ones are omitted. */
export interface ViewControls {
  closer?: () => void
  further?: () => void
  /** Toggles between fit and actual size. */
  toggle?: () => void
  /** In fractions of the frame. */
  pan?: (dx: number, dy: number) => void
  /** Plays, or pauses. */
  play?: () => void
  /** Seeks by seconds, forward or backward. */
  skip?: (seconds: number) => void
  /** Steps by frames, forward or backward. */
  frame?: (by: number) => void
  /** Increases or decreases the speed by one step. */
  speed?: (by: 1 | -1) => void
  mute?: () => void
  /** Turns pages, forward or backward. */
  page?: (by: number) => void
}
