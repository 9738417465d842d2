/** What operating systems leave in folders, and nobody means to upload. */
const litter = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\._.*)$/i

/** The files of a drop, those in its folders too. */
export async function dropped(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map(i => i.webkitGetAsEntry()).filter(e => e !== null)
  const files: File[] = []
  for (const e of entries) await walk(e, files)
  return files.filter(f => !litter.test(f.name))
}

async function walk(entry: FileSystemEntry, files: File[]) {
  if (entry.isFile) {
    files.push(await new Promise<File>((ok, no) => (entry as FileSystemFileEntry).file(ok, no)))
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // A reader gives a hundred entries at a time.
    const some = await new Promise<FileSystemEntry[]>((ok, no) => reader.readEntries(ok, no))
    if (some.length === 0) return
    for (const e of some) await walk(e, files)
  }
}

/** The files that were picked, without litter. */
export function picked(list: FileList | null): File[] {
  return [...(list ?? [])].filter(f => !litter.test(f.name))
}
