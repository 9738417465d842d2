import type { Picked } from './upload'

/** Files that operating systems leave in folders and that nobody wants to upload. */
const litter = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i

const slice = 500 // files per chunk

interface Dropped {
  entry: FileSystemEntry
  root: Promise<FileSystemHandle | null>
}

/**
 * The dropped files, including those in folders, in chunks: a large folder is sent while it is still being read,
 * without blocking the page. Must be called during the drop event.
 */
export function dropped(transfer: DataTransfer): AsyncIterable<Picked[]> {
  const found: Dropped[] = []
  for (const item of transfer.items) {
    const root = item.getAsFileSystemHandle?.().catch(() => null) ?? Promise.resolve(null)
    const entry = item.webkitGetAsEntry()
    if (entry) found.push({ entry, root })
  }
  // Files created by a script have no entry.
  return found.length > 0 ? walkAll(found) : picked(transfer.files)
}

async function* walkAll(found: Dropped[]): AsyncIterable<Picked[]> {
  let some: Picked[] = []
  for (const { entry, root } of found) {
    const handle = await root
    for await (const p of walk(entry)) {
      some.push({ ...p, root: handle })
      if (some.length < slice) continue
      yield some
      some = []
    }
  }
  if (some.length > 0) yield some
}

async function* walk(entry: FileSystemEntry): AsyncIterable<Omit<Picked, 'root'>> {
  if (entry.isFile) {
    if (litter.test(entry.name)) return
    const file = await new Promise<File>((ok, no) => (entry as FileSystemFileEntry).file(ok, no))
    const path = entry.fullPath.replace(/^\//, '')
    yield { file, path: path.includes('/') ? path : '' }
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // A reader returns a hundred entries at a time.
    const some = await new Promise<FileSystemEntry[]>((ok, no) => reader.readEntries(ok, no))
    if (some.length === 0) return
    for (const e of some) yield* walk(e)
  }
}

/** The picked or pasted files, in chunks. */
export async function* picked(list: FileList | null): AsyncIterable<Picked[]> {
  const files = [...(list ?? [])].filter(f => !litter.test(f.name))
  for (let i = 0; i < files.length; i += slice) {
    yield files.slice(i, i + slice).map(file => ({ file, path: file.webkitRelativePath, root: null }))
    await new Promise(r => setTimeout(r))
  }
}

declare global {
  interface DataTransferItem {
    getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>
  }
  interface FileSystemHandle {
    queryPermission?: (o: { mode: 'read' }) => Promise<PermissionState>
    requestPermission?: (o: { mode: 'read' }) => Promise<PermissionState>
  }
}

/** Whether files below a handle may be read again; asks for permission if necessary, which requires a click. */
export async function mayRead(root: FileSystemHandle, ask: boolean): Promise<boolean> {
  try {
    const now = (await root.queryPermission?.({ mode: 'read' })) ?? 'granted'
    if (now !== 'prompt' || !ask) return now === 'granted'
    return (await root.requestPermission?.({ mode: 'read' })) === 'granted'
  } catch {
    return false
  }
}

/** Reads a file again; null if it was deleted or changed. */
export async function readAgain(
  root: FileSystemHandle,
  u: { path: string; size: number; modified: number },
): Promise<File | null> {
  try {
    let at = root
    for (const name of u.path.split('/').slice(1)) {
      const folder = at as FileSystemDirectoryHandle
      at = await folder.getFileHandle(name).catch(() => folder.getDirectoryHandle(name))
    }
    const file = await (at as FileSystemFileHandle).getFile()
    return file.size === u.size && file.lastModified === u.modified ? file : null
  } catch {
    return null
  }
}
