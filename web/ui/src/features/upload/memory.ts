import type { Settings } from './storedSettings'
import type { Upload } from './upload'

/** The stored state of an unfinished upload, for resuming after a reload. */
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
  at: number // time when it was chosen
}

const table = 'files'
const keep = 48 * 3600 * 1000 // longer than the server keeps unfinished uploads

/** The id of this page; it holds a lock of that name while it is open. */
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

/** Calls fn with the table, ignoring failures: browsers may not allow storage, as in private windows. */
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
    // Then the upload is lost on reload.
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

/** Takes over a user's uploads from pages that are no longer open. */
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
