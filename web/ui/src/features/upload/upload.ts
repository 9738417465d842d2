import type { Schemas } from '~/api/client'
import type { Settings } from './storedSettings'

/** How far a file is: first here, then on the server. */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'missing' | 'unsent' | Schemas['FileStatus']

/** What the server says of a file that it has. */
export type Received = Pick<Schemas['BatchFile'], 'id' | 'status' | 'gaid' | 'error' | 'warning'>

/** A file that was chosen, and where it was. */
export interface Picked {
  file: File
  /** From the folder that was chosen on, with its name; empty without one. */
  path: string
  /** Lets the file be read again after a reload, where the browser has that. */
  root: FileSystemHandle | null
}

/** Files that were chosen together. */
export interface Intake {
  settings: Settings
  /** Collections, besides those of the settings. */
  into: number[]
  /** Whether more files are still being found. */
  reading: boolean
  /** Files that are not on the server yet, by what goes into one batch. */
  left: Map<string, number>
  /** The collections made of folders, by the folders' names. */
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
  /** Why it failed, or what it waits for. */
  message: string
  /** The asset that it became, or that was there already. */
  gaid: string | null
  batch: number | null
  /** Where it can be resumed. */
  url: string | null
  /** Its id on the server. */
  remote: number | null
}

const ended: readonly UploadState[] = ['ready', 'duplicate', 'rejected', 'failed', 'unsent']
const problems: readonly UploadState[] = ['rejected', 'failed', 'unsent', 'missing']
const here: readonly UploadState[] = ['waiting', 'sending', 'paused', 'missing']

export const hasEnded = (state: UploadState) => ended.includes(state)
export const isProblem = (state: UploadState) => problems.includes(state)
/** Whether bytes are still to be sent. */
export const isHere = (state: UploadState) => here.includes(state)

/** Tells files apart as well as can be without reading them. */
export const fingerprint = (f: { name: string; size: number; modified: number }) =>
  `${f.size} ${f.modified} ${f.name}`

export interface Counts {
  total: number
  done: number // whatever came of them
  failed: number
  retryable: number
  missing: number
  here: number
  paused: number
  bytes: number
  sent: number
}

/** Counts uploads as their states change, without looking at all of them. */
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
  /** Changes an upload that is counted. */
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
