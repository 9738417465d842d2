import { ApiError, api } from '~/api/client'
import { Batches, isFull } from './batches'
import { Queue } from './queue'
import { sendInPieces, sendTogether } from './transport'
import type { Received, Upload } from './upload'

const atOnce = 3
const tries = 5
const longest = 30 // seconds between two attempts

/** The callbacks of a Sender. */
interface Listener {
  changed: (u: Upload, changes: Partial<Upload>) => void
  /** The server has received the file. */
  arrived: (u: Upload, r: Received) => void
  /** The server refuses the settings of a batch. */
  refused: (e: ApiError) => void
}

interface Lane {
  files: Upload[]
  abort: AbortController
}

/** Sends files, a few concurrently, and waits when the server asks to or the network is down. */
export class Sender {
  readonly batches = new Batches()
  #queue = new Queue()
  #lanes = new Set<Lane>()
  #listener: Listener
  /** Sending is paused. */
  paused = false
  /** The server cannot be reached; sending resumes once it can. */
  offline = false

  constructor(listener: Listener) {
    this.#listener = listener
  }

  /** Adds waiting files. */
  add(files: readonly Upload[], first = false) {
    for (const u of files) {
      if (first) this.#queue.unshift(u)
      else this.#queue.push(u)
    }
    this.#pump()
  }

  /** Stops sending a file that no longer waits. */
  stop(u: Upload) {
    for (const lane of this.#lanes) if (lane.files.includes(u)) lane.abort.abort()
  }

  pause() {
    this.paused = true
    for (const lane of this.#lanes) lane.abort.abort()
  }

  resume() {
    this.paused = false
    this.#pump()
  }

  #pump() {
    while (!this.paused && this.#lanes.size < atOnce) {
      const files = this.#queue.next()
      if (files.length === 0) return
      for (const u of files) this.#listener.changed(u, { state: 'sending' })
      const lane = { files, abort: new AbortController() }
      this.#lanes.add(lane)
      void this.#run(lane).finally(() => {
        this.#lanes.delete(lane)
        this.#pump()
      })
    }
  }

  async #run(lane: Lane) {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#send(lane)
        this.offline = false
        return
      } catch (e) {
        if (lane.abort.signal.aborted) return this.#back(lane)
        const error = e instanceof ApiError ? e : new ApiError(0, String(e))
        this.offline = error.status === 0
        if (error.status === 401) return this.#signedOut(lane)
        const again = passes(error) || (attempt < tries && (error.status >= 500 || isFull(error)))
        if (!again) {
          for (const u of lane.files) this.#listener.changed(u, { state: 'unsent', message: error.message })
          return
        }
        if (isFull(error)) for (const u of lane.files) this.batches.full(u)
        else for (const u of lane.files) this.#listener.changed(u, { message: error.message })
        await pause(error.retryAfter ?? Math.min(2 ** (attempt - 1), longest), lane.abort.signal)
        if (lane.abort.signal.aborted) return this.#back(lane)
      }
    }
  }

  /** Assigns a batch to the files of a lane; files that do not fit wait again. */
  async #batch(lane: Lane): Promise<number> {
    try {
      const ids: number[] = []
      for (const u of lane.files) ids.push(await this.batches.of(u))
      const others = lane.files.filter((_, i) => ids[i] !== ids[0])
      lane.files = lane.files.filter((_, i) => ids[i] === ids[0])
      for (const u of others) {
        this.#listener.changed(u, { state: 'waiting' })
        this.#queue.push(u)
      }
      return ids[0] ?? 0
    } catch (e) {
      if (e instanceof ApiError && e.status === 422) this.#listener.refused(e)
      throw e
    }
  }

  async #send(lane: Lane) {
    const { changed, arrived } = this.#listener
    const { signal } = lane.abort
    const batch = await this.#batch(lane)
    signal.throwIfAborted()
    const { files } = lane
    const [first] = files
    if (!first) return
    const bytes = files.flatMap(u => u.file ?? [])
    if (files.length > 1) {
      const size = files.reduce((sum, u) => sum + u.size, 0)
      const onProgress = (sent: number) => {
        for (const u of files) changed(u, { sent: Math.min(u.size, Math.floor((u.size * sent) / size)) })
      }
      const answers = await sendTogether(batch, bytes, { signal, onProgress })
      files.forEach((u, i) => {
        const r = answers[i]
        if (r) arrived(u, r)
      })
      return
    }
    const onURL = (url: string) => changed(first, { url })
    const onProgress = (sent: number) => {
      this.offline = false
      changed(first, { sent, message: '' })
    }
    if (bytes[0])
      arrived(first, await sendInPieces(batch, bytes[0], first.url, { signal, onProgress, onURL }))
  }

  /** Puts interrupted files at the front, unless they were paused or cancelled. */
  #back(lane: Lane) {
    const going = lane.files.filter(u => u.state === 'sending')
    for (const u of going) this.#listener.changed(u, { state: 'waiting' })
    for (const u of going.reverse()) this.#queue.unshift(u)
  }

  #signedOut(lane: Lane) {
    this.#back(lane)
    this.pause()
    void api.GET('/api/v1/user').catch(() => {
      // The request shows the sign-in form.
    })
  }
}

/** Whether an error is temporary. */
function passes(e: ApiError): boolean {
  return [0, 408, 423, 429, 502, 503, 504].includes(e.status)
}

/** Waits for some seconds, or until the network is available. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const on = new AbortController()
    const end = () => {
      on.abort()
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    window.addEventListener('online', end, { signal: on.signal })
    signal.addEventListener('abort', end, { signal: on.signal })
  })
}
