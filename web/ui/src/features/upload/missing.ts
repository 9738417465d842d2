import { mayRead, readAgain } from './files'
import type { Remembered } from './memory'
import { fingerprint, type Intake, type Picked, type Upload } from './upload'

/** Uploads from before a reload whose files must be located again. */
export class Missing {
  #files = new Map<string, Upload[]>() // by fingerprint

  add(u: Upload) {
    const print = fingerprint(u)
    this.#files.set(print, [...(this.#files.get(print) ?? []), u])
  }

  /** The upload that a file belongs to, if any. */
  take({ file }: Picked): Upload | undefined {
    const { name, size, lastModified: modified } = file
    return this.#files.get(fingerprint({ name, size, modified }))?.pop()
  }

  drop(u: Upload) {
    const print = fingerprint(u)
    const others = this.#files.get(print)?.filter(x => x !== u)
    if (others) this.#files.set(print, others)
  }

  /** Whether the browser may be able to read files again, with the user's permission. */
  get findable() {
    return this.#all().some(u => u.root !== null)
  }

  /** Reads files again where the browser permits it; asks for permission if necessary. */
  async find(ask: boolean, found: (p: Picked) => void) {
    const may = new Map<FileSystemHandle, boolean>()
    for (const u of this.#all()) {
      if (!u.root) continue
      if (!may.has(u.root)) may.set(u.root, await mayRead(u.root, ask))
      const file = may.get(u.root) ? await readAgain(u.root, u) : null
      if (file) found({ file, path: u.path, root: u.root })
    }
  }

  #all() {
    return [...this.#files.values()].flat()
  }
}

/** The restored uploads, with ids starting at first. */
export function restored(left: readonly Remembered[], first: number): Upload[] {
  const intakes = new Map<string, Intake>()
  return left.map((r, i) => {
    const key = JSON.stringify([r.settings, r.into])
    const { settings, into } = r
    const intake = intakes.get(key) ?? { settings, into, reading: false, left: new Map(), made: new Map() }
    intakes.set(key, intake)
    const { name, size, modified, path, root, batch, url, sent } = r
    const there = { name, size, modified, path, root, batch, url, sent, intake, state: 'missing' as const }
    return { ...there, id: first + i, file: null, message: '', gaid: null, remote: null }
  })
}
