/** A selection as it was at some time. */
export interface Snapshot {
  readonly all: boolean
  readonly named: ReadonlySet<string>
}

/**
 * Which assets of a list are selected: some that are named, or all of the
 * result but some. One model for every grid, table and strip.
 */
export class Selection {
  #all = false
  #named: ReadonlySet<string> = new Set()
  #anchor: number | null = null
  #shown: readonly string[] | null = null
  #listeners = new Set<() => void>()
  #version = 0

  /** For useSyncExternalStore. */
  readonly subscribe = (fn: () => void) => {
    this.#listeners.add(fn)
    return () => this.#listeners.delete(fn)
  }
  readonly version = () => this.#version

  #change(all: boolean, named: ReadonlySet<string>) {
    this.#all = all
    this.#named = named
    this.#version++
    for (const fn of this.#listeners) fn()
  }

  has(gaid: string): boolean {
    return this.#named.has(gaid) !== this.#all
  }

  /** How many of a result of `total` are selected. */
  count(total: number): number {
    return this.#all ? Math.max(0, total - this.#named.size) : this.#named.size
  }

  get isEmpty() {
    return !this.#all && this.#named.size === 0
  }

  /** The names of what is selected, or null for all of the result but `except`. */
  get named(): readonly string[] | null {
    return this.#all ? null : [...this.#named]
  }
  get except(): readonly string[] {
    return this.#all ? [...this.#named] : []
  }

  /** Where a range starts: the item that was selected last. */
  get anchor() {
    return this.#anchor
  }

  toggle(gaid: string, index: number) {
    const named = new Set(this.#named)
    if (!named.delete(gaid)) named.add(gaid)
    this.#anchor = index
    this.#change(this.#all, named)
  }

  only(gaid: string, index: number) {
    this.#anchor = index
    this.#change(false, new Set([gaid]))
  }

  /** Adds items; with `only` they replace what was selected. The anchor stays. */
  add(gaids: Iterable<string>, only = false) {
    if (this.#all && !only) {
      const named = new Set(this.#named)
      for (const g of gaids) named.delete(g)
      return this.#change(true, named)
    }
    this.#change(false, new Set([...(only ? [] : this.#named), ...gaids]))
  }

  /** What is selected now, to go back to. */
  snapshot(): Snapshot {
    return { all: this.#all, named: this.#named }
  }

  /** Goes back to a snapshot, and from there adds items. */
  restore({ all, named }: Snapshot, gaids: Iterable<string> = []) {
    if (all) this.#change(true, without(named, gaids))
    else this.#change(false, new Set([...named, ...gaids]))
  }

  remove(gaids: Iterable<string>) {
    const named = new Set(this.#named)
    for (const g of gaids) {
      if (this.#all) named.add(g)
      else named.delete(g)
    }
    this.#change(this.#all, named)
  }

  all() {
    this.#change(true, new Set())
  }

  /** The names of what is shown alone, in place of the result; null while the result is. */
  get shown() {
    return this.#shown
  }

  /** Shows these alone; what is deselected then stays in view until the result is shown again. */
  show(names: readonly string[] | null) {
    this.#shown = names
    this.#anchor = null
    this.#change(this.#all, this.#named)
  }

  /** Where a range is to start. */
  startAt(index: number) {
    this.#anchor = index
  }

  clear() {
    this.#anchor = null
    if (this.isEmpty && !this.#shown) return
    this.#shown = null
    this.#change(false, new Set())
  }
}

function without(named: ReadonlySet<string>, gaids: Iterable<string>) {
  const left = new Set(named)
  for (const g of gaids) left.delete(g)
  return left
}
