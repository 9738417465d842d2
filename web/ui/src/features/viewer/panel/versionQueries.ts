import {
  keepPreviousData,
  type QueryClient,
  skipToken,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { ApiError, api, data, type Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { type ReadAsset, readAsset, showAsset } from '~/features/assets/asset'
import { sendForm } from '~/features/upload/transport'

export type Version = Schemas['AssetVersion']

const perPage = 25
const everyMS = 1000 // polling interval for the processing of a new version

/** The versions of an asset, newest first. */
export function useVersions(asset: ReadAsset) {
  const { gaid } = asset
  return useInfiniteQuery({
    queryKey: ['versions', gaid, asset.file_version],
    initialPageParam: 1,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/assets/{gaid}/versions', {
          params: { path: { gaid }, query: { page: pageParam, per_page: perPage } },
          signal,
        }),
      ),
    getNextPageParam: last =>
      last.meta.current_page < last.meta.last_page ? last.meta.current_page + 1 : undefined,
  })
}

/** A file being uploaded as a new version. */
interface NewVersion {
  name: string
  state: 'sending' | 'reading' | 'failed'
  /** The sent part, from 0 to 1. */
  share: number
  /** The server's error message. */
  message: string
  cancel: () => void
}

const newKey = (gaid: string) => ['new-version', gaid] as const

/** The file being uploaded as a new version, even if other assets were displayed meanwhile. */
export function useNewVersion(gaid: string): NewVersion | null {
  const { data } = useQuery<NewVersion | null>({
    queryKey: newKey(gaid),
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return data ?? null
}

/** Removes the message about a failed new version. */
export function forgetNewVersion(client: QueryClient, gaid: string) {
  client.setQueryData(newKey(gaid), null)
}

/** Uploads a new file of an asset, reporting the progress. Returns whether the asset has it. */
export async function uploadVersion(client: QueryClient, gaid: string, file: File): Promise<boolean> {
  const abort = new AbortController()
  const start = { name: file.name, share: 0, message: '', cancel: () => abort.abort() }
  const tell = (now: Partial<NewVersion> & Pick<NewVersion, 'state'>) =>
    client.setQueryData<NewVersion>(newKey(gaid), { ...start, ...now })
  tell({ state: 'sending' })
  try {
    const sent = await sendForm<Schemas['BatchFile']>(mounted(`/api/v1/assets/${gaid}/versions`), [file], {
      signal: abort.signal,
      onProgress: bytes => tell({ state: 'sending', share: Math.min(1, bytes / Math.max(1, file.size)) }),
    })
    tell({ state: 'reading' })
    const { status, error } = await ended(gaid, sent.id)
    if (status !== 'ready') {
      tell({ state: 'failed', message: error?.message ?? '' })
      return false
    }
    await showAnew(client, gaid)
    forgetNewVersion(client, gaid)
    return true
  } catch (e) {
    if (e instanceof ApiError) tell({ state: 'failed', message: e.message })
    else forgetNewVersion(client, gaid)
    if (!(e instanceof ApiError) && !abort.signal.aborted) throw e
    return false
  }
}

const ends: readonly Schemas['FileStatus'][] = ['ready', 'duplicate', 'rejected', 'failed']

/** Waits until the server has processed a new version. */
async function ended(gaid: string, file: number): Promise<Schemas['BatchFile']> {
  const params = { path: { gaid, file } }
  for (;;) {
    try {
      const now = await data(api.GET('/api/v1/assets/{gaid}/uploads/{file}', { params }))
      if (ends.includes(now.data.status)) return now.data
    } catch (e) {
      const passes = e instanceof ApiError && (e.status === 0 || e.status === 429 || e.status >= 500)
      if (!passes) throw e
    }
    await new Promise(again => setTimeout(again, everyMS))
  }
}

/** Reloads an asset with changed files, and everything derived from them. */
export async function showAnew(client: QueryClient, gaid: string) {
  showAsset(client, await readAsset(gaid))
  for (const queryKey of [['versions', gaid], ['history', gaid], ['assets']])
    void client.invalidateQueries({ queryKey })
}

export async function restoreVersion(client: QueryClient, gaid: string, version: number) {
  await api.POST('/api/v1/assets/{gaid}/versions/{version}/restore', { params: { path: { gaid, version } } })
  await showAnew(client, gaid)
}

export async function deleteVersion(client: QueryClient, gaid: string, version: number) {
  await api.DELETE('/api/v1/assets/{gaid}/versions/{version}', { params: { path: { gaid, version } } })
  await showAnew(client, gaid)
}
