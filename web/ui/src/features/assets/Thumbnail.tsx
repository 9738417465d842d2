import { useState } from 'react'
import { thumbHashToDataURL } from 'thumbhash'
import type { AssetItem } from './query'
import css from './Thumbnail.module.css'

const placeholders = new Map<string, string>()
const kept = 2000

/** The blurred picture that a thumbhash stands for. */
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

/** A file's address without the host, which a proxy may have changed. */
export function local(url: string): string {
  const u = new URL(url, window.location.href)
  return u.pathname + u.search
}

/** A picture of an asset: blurred at once, sharp when it has come. */
export function Thumbnail({
  asset,
}: {
  asset: Pick<AssetItem, 'title' | 'extension' | 'thumbhash' | 'urls'>
}) {
  const [state, setState] = useState<'coming' | 'here' | 'failed'>('coming')
  const url = asset.urls.thumbnail
  if (!url || state === 'failed') {
    return (
      <span className={css.none}>
        <span className="visually-hidden">{asset.title}</span>
        <span aria-hidden>{asset.extension.toUpperCase()}</span>
      </span>
    )
  }
  const first = blurred(asset.thumbhash)
  return (
    <>
      {first && state === 'coming' && <img src={first} alt="" className={css.picture} aria-hidden />}
      <img
        src={local(url)}
        alt={asset.title}
        className={state === 'here' ? css.picture : css.coming}
        decoding="async"
        draggable={false}
        onLoad={() => setState('here')}
        onError={() => setState('failed')}
      />
    </>
  )
}
