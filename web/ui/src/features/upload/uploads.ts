import { ApiError, api, data, type Schemas } from '~/api/client'
import { type Received, send } from './transport'

/** How far a file is: first here, then on the server. */
export type UploadState = 'waiting' | 'sending' | Schemas['FileStatus'] | 'unsent'

export interface Upload {
  id: number
  file: File
  sent: number // bytes
  state: UploadState
  /** Why it failed. */
  message: string
  /** The asset that it became, or that was there already. */
  gaid: string | null
  batch: number | null
  /** Its id on the server. */
  remote: number | null
}

export interface Counts {
  total: number
  done: number // whatever came of them
  failed: number
  bytes: number
  sent: number
}

const atOnce = 3
const perBatch = 10_000 // the server's default bound
const pollEvery = 1500 // milliseconds
const ended: readonly UploadState[] = ['ready', 'duplicate', 'rejected', 'failed', 'unsent']
const tries = 5

export function hasEnded(state: UploadState) {
  return ended.includes(state)
}

interface Batch {
  id: number
  open: number // files still to be sent
  closed: boolean
  done: boolean
}

/**
 * The uploads of this page: sends files a few at a time, waits when the server
 * asks to or the network is gone, and follows what becomes of them.
 */
export class Uploads {
  #list: Upload[] = []
  #queue: Upload[] = []
  #batches: Batch[] = []
  #sending = 0
  #paused = false
  #abort = new AbortController()
  #version = 0
  #listeners = new Set<() => void>()
  #polling = false
  #nextID = 1
  #onReady: () => void

  /** onReady is called when assets have been added to the library. */
  constructor(onReady: () => void) {
    this.#onReady = onReady
  }

  readonly subscribe = (fn: () => void) => {
    this.#listeners.add(fn)
    return () => this.#listeners.delete(fn)
  }
  readonly version = () => this.#version
  get list(): readonly Upload[] {
    return this.#list
  }
  get paused() {
    return this.#paused
  }

  counts(): Counts {
    const c: Counts = { total: this.#list.length, done: 0, failed: 0, bytes: 0, sent: 0 }
    for (const u of this.#list) {
      c.bytes += u.file.size
      c.sent += u.state === 'waiting' ? 0 : Math.min(u.sent, u.file.size)
      if (hasEnded(u.state)) c.done++
      if (u.state === 'failed' || u.state === 'rejected' || u.state === 'unsent') c.failed++
    }
    return c
  }

  /** Takes files; they go into batches of their own. */
  async add(files: readonly File[], collections: number[] = []) {
    for (let i = 0; i < files.length; i += perBatch) {
      const part = files.slice(i, i + perBatch)
      const added = part.map<Upload>(file => ({
        id: this.#nextID++,
        file,
        sent: 0,
        state: 'waiting',
        message: '',
        gaid: null,
        batch: null,
        remote: null,
      }))
      this.#list = [...this.#list, ...added]
      this.#changed()
      try {
        const answer = await data(
          api.POST('/api/v1/upload-batches', { body: { collection_ids: collections } }),
        )
        const batch = { id: answer.data.id, open: part.length, closed: false, done: false }
        this.#batches.push(batch)
        for (const u of added) u.batch = batch.id
        this.#queue.push(...added)
        this.#pump()
      } catch (e) {
        for (const u of added) this.#end(u, 'unsent', e instanceof ApiError ? e.message : String(e))
        this.#changed()
      }
    }
  }

  pause() {
    this.#paused = true
    this.#abort.abort()
    this.#abort = new AbortController()
    this.#changed()
  }

  resume() {
    this.#paused = false
    this.#changed()
    this.#pump()
  }

  /** Sends again what did not get to the server, and has the server try again what failed there. */
  async retry(u: Upload) {
    if (u.remote === null || u.batch === null) {
      u.state = 'waiting'
      u.message = ''
      await this.add([u.file])
      this.forget(u)
      return
    }
    await api.POST('/api/v1/upload-batches/{batch}/files/{file}/retry', {
      params: { path: { batch: u.batch, file: u.remote } },
    })
    u.state = 'queued'
    const batch = this.#batches.find(b => b.id === u.batch)
    if (batch) batch.done = false
    this.#changed()
    void this.#poll()
  }

  forget(u: Upload) {
    this.#list = this.#list.filter(x => x !== u)
    this.#changed()
  }

  /** Forgets those that have ended. */
  clear() {
    this.#list = this.#list.filter(u => !hasEnded(u.state))
    this.#changed()
  }

  #changed() {
    this.#version++
    for (const fn of this.#listeners) fn()
  }

  #end(u: Upload, state: UploadState, message: string) {
    u.state = state
    u.message = message
  }

  #pump() {
    while (!this.#paused && this.#sending < atOnce) {
      const u = this.#queue.shift()
      if (!u) return
      this.#sending++
      void this.#send(u).finally(() => {
        this.#sending--
        this.#pump()
      })
    }
  }

  async #send(u: Upload) {
    const batch = this.#batches.find(b => b.id === u.batch)
    if (!batch) return
    u.state = 'sending'
    for (let attempt = 1; ; attempt++) {
      try {
        const entry = await send(
          batch.id,
          u.file,
          sent => {
            u.sent = sent
            this.#changed()
          },
          this.#abort.signal,
        )
        this.#received(u, entry)
        break
      } catch (e) {
        if (e instanceof DOMException) {
          // Paused: it goes again, first.
          u.state = 'waiting'
          u.sent = 0
          this.#queue.unshift(u)
          return
        }
        const error = e instanceof ApiError ? e : new ApiError(0, String(e))
        const passing = error.status === 0 || error.status === 429 || error.status >= 500
        if (passing && attempt < tries) {
          await new Promise(r => setTimeout(r, 1000 * (error.retryAfter ?? 2 ** attempt)))
          continue
        }
        this.#end(u, 'unsent', error.message)
        break
      }
    }
    this.#changed()
    if (--batch.open > 0) return
    batch.closed = true
    await api
      .POST('/api/v1/upload-batches/{batch}/complete', { params: { path: { batch: batch.id } } })
      .catch(() => {
        // It is open still, and closes by itself after a day; its files are in.
      })
    void this.#poll()
  }

  #received(u: Upload, entry: Received) {
    u.sent = u.file.size
    u.remote = entry.id
    u.state = entry.status
    u.gaid = entry.gaid
    u.message = entry.error?.message ?? ''
    void this.#poll()
  }

  /** Follows the files on the server until none is on its way. */
  async #poll() {
    if (this.#polling) return
    this.#polling = true
    try {
      for (;;) {
        const going = this.#batches.filter(b => !b.done)
        if (going.length === 0) return
        for (const b of going) await this.#look(b)
        this.#changed()
        await new Promise(r => setTimeout(r, pollEvery))
      }
    } finally {
      this.#polling = false
    }
  }

  async #look(batch: Batch) {
    const byID = new Map(
      this.#list
        .filter(u => u.batch === batch.id && u.remote !== null && !hasEnded(u.state))
        .map(u => [u.remote, u]),
    )
    let ready = false
    for (const page of pagesOf([...byID.values()], batch.id, this.#list)) {
      const answer = await data(
        api.GET('/api/v1/upload-batches/{batch}/files', {
          params: { path: { batch: batch.id }, query: { page, per_page: 100 } },
        }),
      ).catch(() => null)
      for (const entry of answer?.data ?? []) {
        const u = byID.get(entry.id)
        if (!u) continue
        u.state = entry.status
        u.gaid = entry.gaid
        u.message = entry.error?.message ?? ''
        ready ||= entry.status === 'ready'
      }
    }
    if (ready) this.#onReady()
    batch.done =
      batch.closed && this.#list.every(u => u.batch !== batch.id || u.remote === null || hasEnded(u.state))
  }
}

const pagesAtOnce = 3

/** The pages of a batch's files that have some of these, the first few of them. */
function pagesOf(files: Upload[], batch: number, all: readonly Upload[]): number[] {
  const order = all
    .filter(u => u.batch === batch && u.remote !== null)
    .sort((a, b) => (a.remote ?? 0) - (b.remote ?? 0))
  const at = new Map(order.map((u, i) => [u, Math.floor(i / 100) + 1]))
  return [...new Set(files.map(u => at.get(u) ?? 1))].sort((a, b) => a - b).slice(0, pagesAtOnce)
}
