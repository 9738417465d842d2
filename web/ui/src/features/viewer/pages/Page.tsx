import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { blurred, local } from '~/features/assets/Thumbnail'
import { useFormat, useTexts } from '~/text/context'
import type { Shown } from '../shown'
import css from './Pages.module.css'
import { texts } from './texts'

const rest = 120 // milliseconds that a page is in view before it is asked for

interface PageProps {
  asset: Shown
  /** From 1. */
  page: number
  count: number
  /** Its width in heights, as far as one knows. */
  ratio: number
  onRatio: (ratio: number) => void
}

/** One page: its picture, and its text over that, which is there to be selected and to be read out. */
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
  const { data: lines = [] } = useQuery({
    queryKey: ['page', asset.gaid, page],
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY, // a file does not change
    retry: false,
    queryFn: ({ signal }) => readLines(asset.gaid, page, signal),
  })
  const name = t.pageOf(format.number(page), format.number(count))
  const soon = page === 1 ? blurred(asset.thumbhash) : null
  return (
    <article className={css.page} aria-label={name} data-page={page}>
      {soon && state === 'coming' && <img src={soon} alt="" />}
      {wanted && state !== 'failed' && (
        <img
          key={tried}
          src={`${local(asset.urls.original)}?rendition=page&page=${page}`}
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
      <div className={css.text}>
        {lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a page stay as they are
          <Line key={i} line={line} ratio={ratio} />
        ))}
      </div>
    </article>
  )
}

type TextLine = Schemas['PageLine']

async function readLines(gaid: string, page: number, signal: AbortSignal): Promise<TextLine[]> {
  const params = { path: { gaid, page } }
  return (await data(api.GET('/api/v1/assets/{gaid}/pages/{page}', { params, signal }))).data.lines
}

const measuredAt = 100 // pixels of the type that is measured
let pen: CanvasRenderingContext2D | null | undefined

/** How wide a text is in sizes of its type. */
function widthOf(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d')
  if (!pen) return text.length / 2
  pen.font = `${measuredAt}px sans-serif`
  return pen.measureText(text).width / measuredAt
}

const share = (n: number) => `${n * 100}%`

/** A line of text, unseen, as wide and as high as the one in the picture. */
function Line({ line, ratio }: { line: TextLine; ratio: number }) {
  const { text, x, y, width, height } = line
  const natural = widthOf(text) * height
  const stretch = natural > 0 ? (width * ratio) / natural : 1
  return (
    <div
      className={css.line}
      style={{
        left: share(x),
        top: share(y),
        fontSize: `${height * 100}cqh`,
        transform: `scaleX(${stretch})`,
      }}
    >
      {text}
    </div>
  )
}
