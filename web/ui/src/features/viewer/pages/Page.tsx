import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { blurred, localWith } from '~/features/assets/Thumbnail'
import { useFormat, useTexts } from '~/text/context'
import type { Shown } from '../shown'
import { Marks } from '../words/Marks'
import { TextLayer } from '../words/TextLayer'
import css from './Pages.module.css'
import { texts } from './texts'

const rest = 120 // milliseconds that a page must be visible before it is requested

interface PageProps {
  asset: Shown
  /** Starting at 1. */
  page: number
  count: number
  /** Its aspect ratio, width to height, if known. */
  ratio: number
  onRatio: (ratio: number) => void
}

/** One page: its picture, and its text above it for selecting and for screen readers. */
export function Page({ asset, page, count, ratio, onRatio }: PageProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const [wanted, setWanted] = useState(false)
  const [state, setState] = useState<'coming' | 'here' | 'failed'>('coming')
  const [tried, setTried] = useState(0)
  useEffect(() => {
    const timer = window.setTimeout(() => setWanted(true), rest)
    return () => window.clearTimeout(timer)
  }, [])
  const { data: text } = useQuery({
    queryKey: ['page', asset.gaid, asset.file_version, page],
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY, // versions are immutable
    retry: false,
    queryFn: ({ signal }) => readText(asset.gaid, page, signal),
  })
  const lines = text?.lines ?? []
  const name = t.pageOf(format.number(page), format.number(count))
  const soon = page === 1 ? blurred(asset.thumbhash) : null
  return (
    <article className={css.page} aria-label={name} data-page={page}>
      {soon && state === 'coming' && <img src={soon} alt="" />}
      {wanted && state !== 'failed' && (
        <img
          key={tried}
          src={localWith(asset.urls.original, { rendition: 'page', page })}
          alt={lines.length > 0 ? '' : name}
          draggable={false}
          onLoad={e => {
            onRatio(e.currentTarget.naturalWidth / e.currentTarget.naturalHeight)
            setState('here')
          }}
          onError={() => setState('failed')}
        />
      )}
      {state === 'failed' && (
        <div role="status" className={css.failed}>
          <p>{t.pageFailed(format.number(page))}</p>
          <Button
            onPress={() => {
              setTried(tried + 1)
              setState('coming')
            }}
          >
            {t.retry}
          </Button>
        </div>
      )}
      <Marks words={text?.words ?? []} />
      <TextLayer lines={lines} ratio={ratio} />
    </article>
  )
}

async function readText(gaid: string, page: number, signal: AbortSignal): Promise<Schemas['AssetPage']> {
  const params = { path: { gaid, page } }
  return (await data(api.GET('/api/v1/assets/{gaid}/pages/{page}', { params, signal }))).data
}
