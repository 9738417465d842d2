import type { Settings } from './storedSettings'
import type { Upload } from './upload'

/** What is remembered of an upload that has not ended, so that it can go on after a reload. */
export interface Remembered {
  key: string // of the page and the upload
  page: string
  user: number
  name: string
  size: number
  modified: number
  path: string
  root: FileSystemHandle | null
  batch: number | null
  url: string | null
  sent: number
  settings: Settings
  into: number[]
  at: number // when it was chosen
}

const table = 'files'
const keep = 48 * 3600 * 1000 // longer than the server keeps what has come of an upload

/** This page among those that are open; it holds a lock of that name as long as it lives. */
const page = crypto.randomUUID?.() ?? String(Math.random())
const lockPrefix = 'dal.upload.'
const lastPage = 'dal.upload.page'
const before = sessionStorage.getItem(lastPage)
sessionStorage.setItem(lastPage, page)
void navigator.locks?.request(lockPrefix + page, () => new Promise(() => {}))

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('dal.uploads', 1)
    request.onupgradeneeded = () => request.result.createObjectStore(table, { keyPath: 'key' })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
let database: Promise<IDBDatabase> | undefined

/** Does something with the table; a browser that keeps nothing, as in private windows, is no failure. */
async function change(fn: (files: IDBObjectStore) => void): Promise<void> {
  try {
    database ??= opened()
    const tx = (await database).transaction(table, 'readwrite')
    fn(tx.objectStore(table))
    await new Promise<void>((ok, no) => {
      tx.oncomplete = () => ok()
      tx.onerror = tx.onabort = () => no(tx.error)
    })
  } catch {
    // Then a reload forgets it.
  }
}

const keyOf = (u: Upload) => `${page} ${u.id}`

function record(u: Upload, user: number): Remembered {
  const { name, size, modified, path, root, batch, url, sent } = u
  const { settings, into } = u.intake
  return {
    key: keyOf(u),
    page,
    user,
    name,
    size,
    modified,
    path,
    root,
    batch,
    url,
    sent,
    settings,
    into,
    at: Date.now(),
  }
}

export function remember(uploads: readonly Upload[], user: number) {
  return change(files => {
    for (const u of uploads) files.put(record(u, user))
  })
}

export function forget(uploads: readonly Upload[]) {
  return change(files => {
    for (const u of uploads) files.delete(keyOf(u))
  })
}

/** Takes over what pages have left that are not open any more, of one user. */
export async function leftBehind(user: number): Promise<Remembered[]> {
  const locks = await navigator.locks?.query()
  const open = new Set(locks?.held?.map(l => l.name))
  const left: Remembered[] = []
  await change(files => {
    const all = files.getAll()
    all.onsuccess = () => {
      for (const r of all.result as Remembered[]) {
        if (r.page === page || (locks ? open.has(lockPrefix + r.page) : r.page !== before)) continue
        if (r.user === user && r.at > Date.now() - keep) left.push(r)
        else if (r.user === user) files.delete(r.key)
      }
      for (const r of left) files.delete(r.key)
    }
  })
  return left
}
