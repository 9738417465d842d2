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
const everyMS = 1000 // how often the server is asked how far a new version is

/** The files that an asset has and had, the latest first. */
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

/** A file on its way to become a version. */
interface NewVersion {
  name: string
  state: 'sending' | 'reading' | 'failed'
  /** How much of it has been sent, from 0 to 1. */
  share: number
  /** Why it failed, in the server's words. */
  message: string
  cancel: () => void
}

const newKey = (gaid: string) => ['new-version', gaid] as const

/** The file that is on its way to become a version, whatever else was looked at meanwhile. */
export function useNewVersion(gaid: string): NewVersion | null {
  const { data } = useQuery<NewVersion | null>({
    queryKey: newKey(gaid),
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return data ?? null
}

/** Takes away what is said of a new version that failed. */
export function forgetNewVersion(client: QueryClient, gaid: string) {
  client.setQueryData(newKey(gaid), null)
}

/** Gives an asset a new file, and tells on the way how far that is. Returns whether the asset has it. */
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

/** Waits until the server has done with a new version. */
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

/** Reads an asset again, whose files have changed, with all that is told of them. */
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
