import type { Schemas } from '~/api/client'
import type { Settings } from './storedSettings'

/** The state of a file: first in the browser, then on the server. */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'missing' | 'unsent' | Schemas['FileStatus']

/** The server's state of a received file. */
export type Received = Pick<Schemas['BatchFile'], 'id' | 'status' | 'gaid' | 'error' | 'warning'>

/** A chosen file and its path. */
export interface Picked {
  file: File
  /** The path starting with the chosen folder; empty without one. */
  path: string
  /** Allows reading the file again after a reload, in browsers that support it. */
  root: FileSystemHandle | null
}

/** Files that were chosen together. */
export interface Intake {
  settings: Settings
  /** Collections, in addition to those of the settings. */
  into: number[]
  /** Whether more files are still being found. */
  reading: boolean
  /** The number of files not yet on the server, by group. */
  left: Map<string, number>
  /** The collections created for folders, by folder name. */
  made: Map<string, Promise<number>>
}

export interface Upload {
  id: number
  name: string
  size: number
  modified: number
  path: string
  root: FileSystemHandle | null
  /** Null after a reload, until it is chosen again. */
  file: File | null
  intake: Intake
  sent: number // bytes
  state: UploadState
  /** The reason why it failed or is waiting. */
  message: string
  /** The resulting asset, or the existing one. */
  gaid: string | null
  batch: number | null
  /** The URL for resuming it. */
  url: string | null
  /** Its id on the server. */
  remote: number | null
}

const ended: readonly UploadState[] = ['ready', 'duplicate', 'rejected', 'failed', 'unsent']
const problems: readonly UploadState[] = ['rejected', 'failed', 'unsent', 'missing']
const here: readonly UploadState[] = ['waiting', 'sending', 'paused', 'missing']

export const hasEnded = (state: UploadState) => ended.includes(state)
export const isProblem = (state: UploadState) => problems.includes(state)
/** Whether bytes remain to be sent. */
export const isHere = (state: UploadState) => here.includes(state)

/** Identifies files as well as possible without reading them. */
export const fingerprint = (f: { name: string; size: number; modified: number }) =>
  `${f.size} ${f.modified} ${f.name}`

export interface Counts {
  total: number
  done: number // whatever the result
  failed: number
  retryable: number
  missing: number
  here: number
  paused: number
  bytes: number
  sent: number
}

/** Counts uploads by state incrementally. */
export class Tally {
  readonly counts: Counts = {
    total: 0,
    done: 0,
    failed: 0,
    retryable: 0,
    missing: 0,
    here: 0,
    paused: 0,
    bytes: 0,
    sent: 0,
  }

  add(u: Upload) {
    this.#count(u, 1)
  }
  remove(u: Upload) {
    this.#count(u, -1)
  }
  /** Changes a counted upload. */
  change(u: Upload, changes: Partial<Upload>) {
    this.#count(u, -1)
    Object.assign(u, changes)
    this.#count(u, 1)
  }

  #count(u: Upload, n: number) {
    const c = this.counts
    c.total += n
    c.bytes += n * u.size
    c.sent += n * (isHere(u.state) ? Math.min(u.sent, u.size) : u.size)
    if (hasEnded(u.state)) c.done += n
    if (u.state === 'failed' || u.state === 'rejected' || u.state === 'unsent') c.failed += n
    if (u.state === 'failed' || u.state === 'unsent') c.retryable += n
    if (u.state === 'missing') c.missing += n
    if (u.state === 'paused') c.paused += n
    if (isHere(u.state)) c.here += n
  }
}
