import { groupOf } from './batches'
import type { Upload } from './upload'

/** Smaller files are sent together: separate requests would take longer than their bytes. */
const small = 1 << 20
const mostFiles = 50
const mostBytes = 8 << 20

/** The waiting uploads, first in, first out. Uploads that no longer wait are skipped. */
export class Queue {
  #list: Upload[] = []
  #head = 0

  push(u: Upload) {
    this.#list.push(u)
  }

  /** Adds an upload at the front. */
  unshift(u: Upload) {
    if (this.#head > 0) this.#list[--this.#head] = u
    else this.#list.unshift(u)
  }

  /** Takes the uploads for one request: a file, or several small ones of one batch. */
  next(): Upload[] {
    const first = this.#peek()
    if (!first) return []
    const group = [first]
    let bytes = first.size
    this.#head++
    while (first.size < small && !first.url && group.length < mostFiles) {
      const u = this.#peek()
      if (!u || u.size >= small || u.url || bytes + u.size > mostBytes || group.includes(u)) break
      if (u.intake !== first.intake || groupOf(u) !== groupOf(first) || u.batch !== first.batch) break
      group.push(u)
      bytes += u.size
      this.#head++
    }
    if (this.#head > 1000) {
      this.#list.splice(0, this.#head)
      this.#head = 0
    }
    return group
  }

  #peek(): Upload | undefined {
    while (this.#list[this.#head] && this.#list[this.#head]?.state !== 'waiting') this.#head++
    return this.#list[this.#head]
  }
}
