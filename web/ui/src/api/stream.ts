import type { Schemas } from './client'
import { mounted } from './mount'

/** Live events of the server; see GET /stream. */
export interface LiveEvents {
  batch: Schemas['StreamBatch']
  batch_file: Schemas['StreamFile']
  operation: Schemas['StreamOperation']
  asset: Schemas['StreamAsset']
  collection: Schemas['StreamCollection']
  /** Types to reload, because events were missed. */
  reset: Schemas['StreamReset']
}
export type LiveType = keyof LiveEvents
type Listener<T extends LiveType> = (event: LiveEvents[T]) => void
type Listeners = { [T in LiveType]: Set<Listener<T>> }

const everything: Schemas['StreamReset'] = {
  types: ['batch', 'batch_file', 'operation', 'asset', 'collection'],
}
const firstWait = 1000 // milliseconds, doubled with each attempt
const longestWait = 30_000
const readEvery = 10_000 // while there is no stream
const hiddenFor = 10_000 // a hidden page releases its connection: browsers allow few per host

/**
 * The page's event stream. It reconnects and resumes after an interruption; meanwhile, everything is reloaded
 * periodically.
 */
export class Stream {
  #source: EventSource | null = null
  #last: string
  #wait = firstWait
  #retry = 0
  #away = 0
  #hidden = 0
  #onRefused: () => void
  #listeners: Listeners = {
    batch: new Set(),
    batch_file: new Set(),
    operation: new Set(),
    asset: new Set(),
    collection: new Set(),
    reset: new Set(),
  }

  /**
   * Starts after the event `last`, which must be older than all data that is read. onRefused is called if the server
   * refuses the stream, possibly because the session has ended.
   */
  constructor(last: number, onRefused: () => void) {
    this.#last = String(last)
    this.#onRefused = onRefused
  }

  start() {
    document.addEventListener('visibilitychange', this.#seen)
    this.#seen()
  }

  stop() {
    document.removeEventListener('visibilitychange', this.#seen)
    window.clearTimeout(this.#hidden)
    this.#close()
  }

  /** Calls fn with each event of a type; returns a function that unsubscribes. */
  on<T extends LiveType>(type: T, fn: Listener<T>) {
    this.#listeners[type].add(fn)
    return () => {
      this.#listeners[type].delete(fn)
    }
  }

  readonly #seen = () => {
    window.clearTimeout(this.#hidden)
    if (document.visibilityState === 'hidden') {
      this.#hidden = window.setTimeout(() => this.#close(), hiddenFor)
    } else if (!this.#source) {
      this.#wait = firstWait
      this.#open()
    }
  }

  #open() {
    window.clearTimeout(this.#retry)
    const source = new EventSource(mounted(`/api/v1/stream?last_event_id=${this.#last}`))
    this.#source = source
    source.onopen = () => {
      window.clearInterval(this.#away)
      this.#away = 0
      this.#wait = firstWait
    }
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) this.#onRefused()
      source.close()
      this.#again()
    }
    for (const type of Object.keys(this.#listeners) as LiveType[]) {
      source.addEventListener(type, e => {
        this.#last = e.lastEventId || this.#last
        this.#tell(type, JSON.parse(e.data))
      })
    }
  }

  /** Reconnects after a delay that grows with each attempt, and polls meanwhile. */
  #again() {
    const wait = this.#wait * (0.75 + Math.random() / 2)
    this.#wait = Math.min(longestWait, this.#wait * 2)
    this.#retry = window.setTimeout(() => this.#open(), wait)
    this.#away ||= window.setInterval(() => this.#tell('reset', everything), readEvery)
  }

  #close() {
    window.clearTimeout(this.#retry)
    window.clearInterval(this.#away)
    this.#away = 0
    this.#source?.close()
    this.#source = null
  }

  #tell<T extends LiveType>(type: T, event: LiveEvents[T]) {
    for (const fn of [...this.#listeners[type]]) fn(event)
  }
}
