import { type ApiError, api } from '~/api/client'
import { groupOf } from './batches'
import { Follower } from './follow'
import { forget, leftBehind, remember } from './memory'
import { Missing, restored } from './missing'
import { Sender } from './sender'
import { settings } from './storedSettings'
import { forgetPieces } from './transport'
import { hasEnded, type Intake, isHere, type Picked, type Received, Tally, type Upload } from './upload'

const quiet = 100 // milliseconds between two renders

/**
 * The uploads of this page: sends files a few at a time, waits when the server asks to or the network is down,
 * resumes after a reload, and follows the files' processing.
 */
export class Uploads {
  readonly list: Upload[] = []
  #tally = new Tally()
  #sender = new Sender({
    changed: (u, changes) => this.#sending(u, changes),
    arrived: (u, r) => this.#arrived(u, r),
    refused: e => {
      this.refused = e
    },
  })
  #follower = new Follower((u, r) => this.#received(u, r))
  #missing = new Missing()
  #nextID = 1
  #version = 0
  #listeners = new Set<() => void>()
  #told: ReturnType<typeof setTimeout> | undefined
  #user: number
  /** The server's errors for the settings, by field. */
  refused: ApiError | null = null

  constructor(user: number) {
    this.#user = user
  }

  readonly subscribe = (fn: () => void) => {
    this.#listeners.add(fn)
    return () => this.#listeners.delete(fn)
  }
  readonly version = () => this.#version
  get paused() {
    return this.#sender.paused
  }
  get offline() {
    return this.#sender.offline
  }
  get counts() {
    return this.#tally.counts
  }

  /** Adds files as they are found; `into` are collections in addition to those of the settings. */
  async add(found: AsyncIterable<Picked[]>, into: number[] = []) {
    const intake: Intake = { settings: settings(), into, reading: true, left: new Map(), made: new Map() }
    try {
      for await (const some of found) {
        const fresh = some.filter(p => !this.#again(p)).map(p => this.#upload(p, intake))
        this.#take(fresh)
      }
    } finally {
      intake.reading = false
      for (const group of intake.left.keys()) this.#sender.batches.close(intake, group)
      this.#changed()
    }
  }

  #upload({ file, path, root }: Picked, intake: Intake): Upload {
    const { name, size, lastModified: modified } = file
    const here = { file, name, size, modified, path, root, intake, state: 'waiting' as const }
    return {
      ...here,
      id: this.#nextID++,
      sent: 0,
      message: '',
      gaid: null,
      batch: null,
      url: null,
      remote: null,
    }
  }

  #take(uploads: Upload[]) {
    for (const u of uploads) {
      this.list.push(u)
      this.#tally.add(u)
      const { left } = u.intake
      left.set(groupOf(u), (left.get(groupOf(u)) ?? 0) + 1)
    }
    void remember(uploads, this.#user)
    this.#changed()
    this.#sender.add(uploads.filter(u => u.state === 'waiting'))
  }

  /** Resumes an upload from before a reload whose file was chosen again. */
  #again(p: Picked): boolean {
    const u = this.#missing.take(p)
    if (!u) return false
    this.#set(u, { file: p.file, root: p.root, state: 'waiting' })
    this.#sender.add([u])
    return true
  }

  /** Restores unfinished uploads after the page was reloaded or closed. */
  async restore() {
    const back = restored(await leftBehind(this.#user), this.#nextID)
    if (back.length === 0) return
    this.#nextID += back.length
    for (const u of back) {
      if (u.batch !== null) this.#sender.batches.resume(u.batch)
      this.#missing.add(u)
    }
    this.#take(back)
    await this.findAgain(false)
  }

  /** Reads missing files again where the browser permits it; asks for permission if necessary. */
  findAgain(ask: boolean) {
    return this.#missing.find(ask, p => this.#again(p))
  }
  /** Whether findAgain may find something, with permission. */
  get findable() {
    return this.#missing.findable
  }

  pause() {
    this.#sender.pause()
    this.#changed()
  }

  resume() {
    this.#sender.resume()
    this.#changed()
  }

  /** Pauses one file; the others continue. */
  hold(u: Upload) {
    this.#set(u, { state: 'paused' })
    this.#sender.stop(u)
  }

  go(u: Upload) {
    this.#set(u, { state: 'waiting', message: '' })
    this.#sender.add([u], true)
  }

  /** Cancels files that are not on the server yet. */
  cancel(uploads: readonly Upload[]) {
    const going = new Set(uploads.filter(u => isHere(u.state)))
    for (const u of going) {
      this.hold(u)
      if (u.url) void forgetPieces(u.url)
      this.#missing.drop(u)
      this.#gone(u)
    }
    this.#forgetAll(u => going.has(u))
  }

  /** Retries a file: sends it again, or makes the server process it again. */
  async retry(u: Upload) {
    this.refused = null
    if (u.remote === null || u.batch === null) {
      u.intake = { ...u.intake, settings: settings(), reading: false, left: new Map() }
      u.intake.left.set(groupOf(u), 1)
      u.batch = null
      u.url = null
      void remember([u], this.#user)
      this.go(u)
      return
    }
    const params = { path: { batch: u.batch, file: u.remote } }
    try {
      await api.POST('/api/v1/upload-batches/{batch}/files/{file}/retry', { params })
      this.#set(u, { state: 'queued', message: '' })
      this.#follower.add(u)
    } catch (e) {
      this.#set(u, { message: e instanceof Error ? e.message : String(e) })
    }
  }

  /** Removes finished uploads. */
  clear() {
    this.#forgetAll(u => hasEnded(u.state))
  }

  async retryAll() {
    for (const u of this.list) if (u.state === 'unsent' || u.state === 'failed') await this.retry(u)
  }

  /** Processes the server's state of a file. */
  saw(r: Received) {
    this.#follower.saw(r)
  }

  /** Loads missed states, of one batch or of all. */
  look(batch?: number) {
    return this.#follower.look(batch)
  }

  #forgetAll(which: (u: Upload) => boolean) {
    const kept = this.list.filter(u => !which(u))
    for (const u of this.list) if (which(u)) this.#tally.remove(u)
    this.list.splice(0, this.list.length, ...kept)
    this.#changed()
  }

  #changed() {
    this.#told ??= setTimeout(() => {
      this.#told = undefined
      this.#version++
      for (const fn of this.#listeners) fn()
    }, quiet)
  }

  #set(u: Upload, changes: Partial<Upload>) {
    this.#tally.change(u, changes)
    this.#changed()
  }

  #received(u: Upload, r: Received) {
    this.#set(u, { state: r.status, gaid: r.gaid, message: r.error?.message ?? r.warning ?? '' })
  }

  /** Notes that a file is no longer to be sent. */
  #gone(u: Upload) {
    const { left } = u.intake
    left.set(groupOf(u), (left.get(groupOf(u)) ?? 1) - 1)
    this.#sender.batches.left(u)
    void forget([u])
  }

  #sending(u: Upload, changes: Partial<Upload>) {
    this.#set(u, changes)
    if (changes.url) void remember([u], this.#user)
    if (changes.state === 'unsent') this.#gone(u)
  }

  #arrived(u: Upload, r: Received) {
    u.remote = r.id
    this.#received(u, r)
    this.#gone(u)
    this.#follower.add(u)
  }
}
