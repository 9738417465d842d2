import type { Ref } from 'react'
import type { Shown } from './shown'

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

/** The props of the viewers of each kind of file. */
export interface ShowsProps {
  asset: Shown
  /** Whether it is the displayed one; its neighbors are only preloaded. */
  isCurrent: boolean
  controls?: Ref<ViewControls>
  onDrag?: (dx: number | null) => void
  onTurn?: (by: 1 | -1) => void
  onDown?: () => void
}
