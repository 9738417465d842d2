import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError } from '~/api/client'
import {
  type AssetChanges,
  assetQuery,
  putAsset,
  type ReadAsset,
  readAsset,
  showAsset,
} from '~/features/assets/asset'

/** Another user has changed the same field. */
export class ChangedMeanwhile extends Error {
  constructor(
    readonly by: string | null,
    readonly theirs: ReadAsset,
  ) {
    super('changed meanwhile')
  }
}

const tries = 5

/** The fields of an asset that changes write, for comparison. */
function written(a: ReadAsset, changes: AssetChanges): string {
  const values: Record<string, unknown> = { ...a, owner_id: a.owner?.id ?? null }
  const keys = Object.keys(changes.metadata ?? {})
  return JSON.stringify(
    Object.keys(changes).map(name =>
      name === 'metadata' ? keys.map(k => a.metadata[k] ?? null) : (values[name] ?? null),
    ),
  )
}

const nowhere = { latitude: null, longitude: null, place: null }

/** The expected asset after saving changes. */
function expected(a: ReadAsset, changes: AssetChanges): ReadAsset {
  const { owner_id, metadata, title, location, ...plain } = changes
  const meta = Object.entries({ ...a.metadata, ...metadata }).filter(([, v]) => v !== null)
  return {
    ...a,
    ...(plain as Partial<ReadAsset>),
    ...(title && { title }),
    ...(location !== undefined && { location: location && { ...nowhere, ...a.location, ...location } }),
    metadata: Object.fromEntries(meta),
  }
}

/**
 * Saves changes based on the displayed state. If the asset has changed since, but not in these fields, they are saved
 * too. Without an ETag, the asset is loaded first.
 */
async function save(shown: ReadAsset, changes: AssetChanges, tag: string | null | undefined) {
  let etag = tag
  for (let i = 0; ; i++) {
    try {
      if (etag) return await putAsset(shown.gaid, changes, etag)
    } catch (e) {
      if (!(e instanceof ApiError) || e.status !== 412 || i >= tries) throw e
    }
    const now = await readAsset(shown.gaid)
    if (written(now, changes) !== written(shown, changes)) {
      throw new ChangedMeanwhile(now.updated_by?.name ?? null, now)
    }
    etag = now.etag
  }
}

export type Save = (changes: AssetChanges, force?: boolean) => Promise<void>

/**
 * Saves fields of an asset one at a time: displayed immediately, reverted on failure. Throws an ApiError or
 * ChangedMeanwhile; force overwrites the changes of others.
 */
export function useSave(gaid: string): Save {
  const client = useQueryClient()
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return (changes, force = false) => {
    const run = last.current.then(() => once(client, gaid, changes, force))
    last.current = run.catch(() => {})
    return run
  }
}

async function once(client: QueryClient, gaid: string, changes: AssetChanges, force: boolean) {
  const { queryKey } = assetQuery(gaid)
  await client.cancelQueries({ queryKey })
  const shown = client.getQueryData<ReadAsset>(queryKey)
  if (!shown) return
  client.setQueryData(queryKey, expected(shown, changes))
  try {
    showAsset(client, force ? await putAsset(gaid, changes) : await save(shown, changes, shown.etag))
    void client.invalidateQueries({ queryKey: ['history', gaid] })
  } catch (e) {
    showAsset(client, e instanceof ChangedMeanwhile ? e.theirs : shown)
    throw e
  }
}

/** The props of the editable parts of the panel. */
export interface EditProps {
  asset: ReadAsset
  /** Saves changes; undefined if read-only. */
  save: Save | undefined
}
