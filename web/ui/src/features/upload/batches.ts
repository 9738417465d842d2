import { type ApiError, api, data } from '~/api/client'
import type { Intake, Upload } from './upload'

const perBatch = 10_000 // the server's default limit; it reports a lower one

interface Batch {
  id: number
  room: number // files that it still accepts
  going: number // our files being sent to it
}

/** Identifies the batch of a file: one per intake, or per folder if each becomes a collection. */
export function groupOf(u: Upload): string {
  return u.intake.settings.folders ? (u.path.split('/')[0] ?? '') : ''
}

/** Opens upload batches on demand and completes them after their last file. */
export class Batches {
  #open = new Map<Intake, Map<string, Promise<Batch>>>()
  #known = new Map<number, Batch>()

  /** The batch of a file. */
  async of(u: Upload): Promise<number> {
    if (u.batch !== null && this.#known.has(u.batch)) return u.batch
    const groups = this.#open.get(u.intake) ?? new Map<string, Promise<Batch>>()
    this.#open.set(u.intake, groups)
    const group = groupOf(u)
    for (;;) {
      let opening = groups.get(group)
      if (!opening) {
        opening = this.#create(u.intake, group)
        groups.set(group, opening)
        opening.catch(() => groups.delete(group))
      }
      const batch = await opening
      if (batch.room > 0) {
        batch.room--
        batch.going++
        u.batch = batch.id
        return batch.id
      }
      if (groups.get(group) === opening) groups.delete(group)
    }
  }

  /** Reuses a batch from before a reload for one of its files. */
  resume(id: number) {
    const batch = this.#known.get(id) ?? { id, room: 0, going: 0 }
    batch.going++
    this.#known.set(id, batch)
  }

  /** Marks a batch as full; its remaining files get another one. */
  full(u: Upload) {
    const batch = this.#known.get(u.batch ?? 0)
    if (batch) {
      batch.room = 0
      batch.going--
    }
    u.batch = null
    u.url = null
  }

  /** Notes that a file is no longer being sent; after the last one, the batch is completed. */
  left(u: Upload) {
    const batch = this.#known.get(u.batch ?? 0)
    if (batch) batch.going--
    this.close(u.intake, groupOf(u))
    if (batch?.room === 0) this.#close(batch)
  }

  /** Completes the batch of a group if no more files follow. */
  close(intake: Intake, group: string) {
    if (intake.reading || (intake.left.get(group) ?? 0) > 0) return
    const opening = this.#open.get(intake)?.get(group)
    void opening?.then(
      b => {
        b.room = 0
        this.#close(b)
      },
      () => {},
    )
  }

  #close(batch: Batch) {
    if (batch.going > 0 || !this.#known.delete(batch.id)) return
    const params = { path: { batch: batch.id } }
    api.POST('/api/v1/upload-batches/{batch}/complete', { params }).catch(() => {
      // It stays open and is completed automatically after a day; its files are stored.
    })
  }

  async #create(intake: Intake, folder: string): Promise<Batch> {
    const { settings: s, into } = intake
    const collections = [...s.collections.map(c => c.id), ...into]
    if (folder) collections.push(await collectionOf(intake, folder))
    const body = {
      collection_ids: [...new Set(collections)],
      ...(s.assetClass && { asset_class_id: s.assetClass }),
      ...(Object.keys(s.metadata).length > 0 && { metadata: s.metadata }),
    }
    const { id } = (await data(api.POST('/api/v1/upload-batches', { body }))).data
    const batch = { id, room: perBatch, going: 0 }
    this.#known.set(id, batch)
    return batch
  }
}

/** The collection of a folder, shared by all its batches and retries. */
function collectionOf({ made }: Intake, folder: string): Promise<number> {
  const known = made.get(folder)
  if (known) return known
  const making = data(api.POST('/api/v1/collections', { body: { name: folder } })).then(c => c.data.id)
  made.set(folder, making)
  making.catch(() => made.delete(folder))
  return making
}

/** Whether an error means that the batch accepts no more files, but another one may. */
export function isFull(e: ApiError): boolean {
  return e.status === 404 || e.status === 410 || e.status === 409 || (e.status === 422 && 'file' in e.fields)
}
