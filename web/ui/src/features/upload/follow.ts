import { api, data } from '~/api/client'
import { hasEnded, isHere, type Received, type Upload } from './upload'

const perPage = 100
const early = 1000 // events stored for files whose ids are not known yet

/** Follows the state of files on the server: with live events, and requests only for missed ones. */
export class Follower {
  #files = new Map<number, Upload>() // unfinished files by their id on the server
  #order = new Map<number, number[]>() // all ids of a batch
  #early = new Map<number, Received>()
  #onState: (u: Upload, r: Received) => void

  constructor(onState: (u: Upload, r: Received) => void) {
    this.#onState = onState
  }

  add(u: Upload) {
    if (u.remote === null || u.batch === null) return
    const order = this.#order.get(u.batch)
    if (order) order.push(u.remote)
    else this.#order.set(u.batch, [u.remote])
    if (hasEnded(u.state)) return
    this.#files.set(u.remote, u)
    const told = this.#early.get(u.remote)
    if (told) this.saw(told)
  }

  /** Processes the server's state of a file, if it is one of these. */
  saw(r: Received) {
    const u = this.#files.get(r.id)
    if (!u) {
      this.#early.delete(r.id)
      this.#early.set(r.id, r)
      if (this.#early.size > early) this.#early.delete(this.#early.keys().next().value ?? 0)
      return
    }
    if (isHere(u.state)) return
    this.#onState(u, r)
    if (hasEnded(u.state)) this.#files.delete(r.id)
  }

  /** Loads states that may have been missed, of one batch or of all. */
  async look(only?: number) {
    const batches = new Set<number>()
    for (const u of this.#files.values()) if (u.batch !== null) batches.add(u.batch)
    for (const batch of batches) {
      if (only !== undefined && batch !== only) continue
      for (const page of this.#pages(batch)) {
        const params = { path: { batch }, query: { page, per_page: perPage } }
        const answer = await data(api.GET('/api/v1/upload-batches/{batch}/files', { params })).catch(
          () => null,
        )
        for (const r of answer?.data ?? []) if (this.#files.has(r.id)) this.saw(r)
      }
    }
  }

  /** The pages of a batch with unfinished files. */
  #pages(batch: number): number[] {
    const order = this.#order.get(batch) ?? []
    order.sort((a, b) => a - b)
    const pages = new Set<number>()
    order.forEach((id, i) => {
      if (this.#files.has(id)) pages.add(Math.floor(i / perPage) + 1)
    })
    return [...pages]
  }
}
