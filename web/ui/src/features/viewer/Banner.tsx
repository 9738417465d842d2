import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, data } from '~/api/client'
import { Button } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import { useTrash } from '~/features/assets/asset'
import { usageOf } from '~/features/assets/usage'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import css from './Bar.module.css'
import type { Shown } from './shown'
import { texts } from './texts'

/** Shows the special state of an asset and what to do: trashed, not ready, failed, or damaged. */
export function Banner({ asset }: { asset: Shown }) {
  if (asset.deleted_at) return <Trashed asset={asset} />
  if (asset.processing_status === 'failed') return <Failed asset={asset} />
  if (asset.availability !== 'available') return <Unavailable availability={asset.availability} />
  if (asset.processing_status !== 'ready') return <Processing status={asset.processing_status} />
  return <OfUsage asset={asset} />
}

function Processing({ status }: { status: Shown['processing_status'] }) {
  const t = useTexts(texts)
  if (status !== 'processing' && status !== 'damaged') return null
  return (
    <div className={css.banner} role="status">
      <p>{status === 'processing' ? t.processing : t.damaged}</p>
    </div>
  )
}

function OfUsage({ asset }: { asset: Shown }) {
  const t = useTexts(texts)
  const format = useFormat()
  const usage = usageOf(asset)
  if (!usage) return null
  return (
    <div className={css.banner} role="status">
      <p>{t[usage.state](format.time(usage.at))}</p>
    </div>
  )
}

function Unavailable({ availability }: { availability: 'offline' | 'missing' | 'unreadable' }) {
  const t = useTexts(texts)
  const text = { offline: t.offline, missing: t.missing, unreadable: t.cannotRead }
  return (
    <div className={css.banner} role="status">
      <p>{text[availability]}</p>
    </div>
  )
}

function Trashed({ asset }: { asset: Shown }) {
  const t = useTexts(texts)
  const can = useCan()
  const { restore } = useTrash()
  const run = async () => {
    try {
      await restore([asset.gaid])
      toast({ text: t.restored })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  return (
    <div className={css.banner} role="status">
      <p>{t.inTrash}</p>
      {can('assets:delete') && <Button onPress={() => void run()}>{t.restore}</Button>}
    </div>
  )
}

function Failed({ asset }: { asset: Shown }) {
  const t = useTexts(texts)
  const can = useCan()
  const client = useQueryClient()
  const batch = asset.ingestion_batch_id
  const file = useQuery({
    queryKey: ['batch-file', batch, asset.gaid],
    enabled: batch !== null && can('uploads:manage'),
    queryFn: ({ signal }) => fileOf(batch ?? 0, asset.gaid, signal),
  })
  const retry = async () => {
    if (!file.data || batch === null) return
    try {
      await api.POST('/api/v1/upload-batches/{batch}/files/{file}/retry', {
        params: { path: { batch, file: file.data.id } },
      })
      await client.invalidateQueries({ queryKey: ['asset', asset.gaid] })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  return (
    <div className={css.banner} role="status">
      <p>
        {t.failed} {file.data?.error?.message}
      </p>
      {file.data?.error?.retryable && <Button onPress={() => void retry()}>{t.retry}</Button>}
    </div>
  )
}

const mostPages = 100

/** The batch file from which an asset was created. */
async function fileOf(batch: number, gaid: string, signal: AbortSignal) {
  for (let page = 1; page <= mostPages; page++) {
    const list = await data(
      api.GET('/api/v1/upload-batches/{batch}/files', {
        params: { path: { batch }, query: { page, per_page: 100 } },
        signal,
      }),
    )
    const file = list.data.find(f => f.gaid === gaid)
    if (file) return file
    if (page >= list.meta.last_page) break
  }
  return null
}
