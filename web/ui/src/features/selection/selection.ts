/** A selection at some point in time. */
export interface Snapshot {
  readonly all: boolean
  readonly named: ReadonlySet<string>
}

/**
 * The selected assets of a list: some by GAID, or the whole result except some. All grids, tables and strips use this
 * model.
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

  /** The number of selected assets in a result of `total`. */
  count(total: number): number {
    return this.#all ? Math.max(0, total - this.#named.size) : this.#named.size
  }

  get isEmpty() {
    return !this.#all && this.#named.size === 0
  }

  /** The selected GAIDs, or null for the whole result except `except`. */
  get named(): readonly string[] | null {
    return this.#all ? null : [...this.#named]
  }
  get except(): readonly string[] {
    return this.#all ? [...this.#named] : []
  }

  /** The start of a range: the item selected last. */
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

  /** Adds items; with `only` they replace the selection. The anchor does not change. */
  add(gaids: Iterable<string>, only = false) {
    if (this.#all && !only) {
      const named = new Set(this.#named)
      for (const g of gaids) named.delete(g)
      return this.#change(true, named)
    }
    this.#change(false, new Set([...(only ? [] : this.#named), ...gaids]))
  }

  /** The current selection, for restoring it. */
  snapshot(): Snapshot {
    return { all: this.#all, named: this.#named }
  }

  /** Restores a snapshot, and adds items. */
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

  /** The GAIDs displayed instead of the result; null while the result is displayed. */
  get shown() {
    return this.#shown
  }

  /** Displays only these assets; deselected ones stay visible until the result is displayed again. */
  show(names: readonly string[] | null) {
    this.#shown = names
    this.#anchor = null
    this.#change(this.#all, this.#named)
  }

  /** Sets the start of a range. */
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
