import { AudioLines, FileText, FileWarning, Film, Image, Loader } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { thumbHashToDataURL } from 'thumbhash'
import { useFormat, useLanguage, useTexts } from '~/text/context'
import { altText } from './alt'
import type { AssetItem } from './query'
import css from './Thumbnail.module.css'
import { texts } from './texts'

const placeholders = new Map<string, string>()
const kept = 600

/** The blurred picture of a thumbhash. */
export function blurred(hash: string | null): string | null {
  if (!hash) return null
  let url = placeholders.get(hash)
  if (!url) {
    url = thumbHashToDataURL(Uint8Array.from(atob(hash), c => c.charCodeAt(0)))
    if (placeholders.size > kept) placeholders.clear()
    placeholders.set(hash, url)
  }
  return url
}

const soon = 30 // milliseconds, within which cells that are scrolled past disappear again

/** The blurred picture of a thumbhash, decoded only if the cell stays visible for a moment. */
function useBlurred(hash: string | null): string | null {
  const [, unpacked] = useState(0)
  const known = hash ? placeholders.get(hash) : undefined
  useEffect(() => {
    if (!hash || known) return
    const timer = window.setTimeout(() => {
      blurred(hash)
      unpacked(n => n + 1)
    }, soon)
    return () => window.clearTimeout(timer)
  }, [hash, known])
  return known ?? null
}

/** A file's URL without its host, which a proxy may have changed. */
export function local(url: string): string {
  const u = new URL(url, window.location.href)
  return u.pathname + u.search
}

/** A file's URL like `local`, with additional parameters. */
export function localWith(url: string, parameters: Record<string, string | number>): string {
  const u = new URL(url, window.location.href)
  for (const [name, value] of Object.entries(parameters)) u.searchParams.set(name, String(value))
  return u.pathname + u.search
}

type Shown = Pick<
  AssetItem,
  | 'title'
  | 'extension'
  | 'thumbhash'
  | 'urls'
  | 'processing_status'
  | 'file_category'
  | 'width'
  | 'height'
  | 'capture_local_time'
  | 'created_at'
  | 'rating'
>

const again = [2000, 8000, 30_000] // milliseconds to wait before each retry

/** The thumbnail of an asset: blurred immediately, sharp once it is loaded. Small ones have no text. */
export function Thumbnail({ asset, small = false }: { asset: Shown; small?: boolean }) {
  const format = useFormat()
  const { language } = useLanguage()
  const [state, setState] = useState<'coming' | 'here' | 'failed'>('coming')
  const [tried, setTried] = useState(0)
  const url = asset.urls.thumbnail
  const first = useBlurred(asset.thumbhash)
  const alt = useMemo(() => altText(asset, format, language), [asset, format, language])
  useEffect(() => {
    const wait = again[tried]
    if (state !== 'failed' || wait === undefined) return
    const timer = window.setTimeout(() => {
      setTried(tried + 1)
      setState('coming')
    }, wait)
    return () => window.clearTimeout(timer)
  }, [state, tried])
  if (!url || state === 'failed') return <Card asset={asset} small={small} />
  const look = asset.file_category === 'Document' ? `${css.picture} ${css.page}` : css.picture
  return (
    <>
      {first && <img src={first} alt="" className={look} aria-hidden draggable={false} />}
      <img
        key={`${tried} ${asset.thumbhash}`} // of another picture, if one was set
        src={local(url)}
        alt={alt}
        className={state === 'here' ? look : `${look} ${css.coming}`}
        decoding="async"
        draggable={false}
        onLoad={() => setState('here')}
        onError={() => setState('failed')}
      />
    </>
  )
}

const kinds: Record<AssetItem['file_category'], ReactNode> = {
  Image: <Image />,
  Video: <Film />,
  Audio: <AudioLines />,
  Document: <FileText />,
}

/** Replaces the thumbnail of an asset without a picture: shows its type and its processing state. */
function Card({ asset, small }: { asset: Shown; small: boolean }) {
  const t = useTexts(texts)
  const status = asset.processing_status
  const icon =
    status === 'processing' ? <Loader /> : status === 'ready' ? kinds[asset.file_category] : <FileWarning />
  return (
    <span className={small ? `${css.card} ${css.small}` : css.card} data-status={status}>
      <span className={css.icon} aria-hidden>
        {icon}
      </span>
      {!small && <span className={css.name}>{asset.title}</span>}
      {!small && (
        <span className={css.kind}>{status === 'ready' ? asset.extension.toUpperCase() : t[status]}</span>
      )}
    </span>
  )
}
