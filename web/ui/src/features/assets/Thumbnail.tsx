import { useState } from 'react'
import { thumbHashToDataURL } from 'thumbhash'
import type { AssetItem } from './query'
import css from './Thumbnail.module.css'

const placeholders = new Map<string, string>()

function placeholder(hash: string | null): string | null {
  if (!hash) return null
  let url = placeholders.get(hash)
  if (!url) {
    url = thumbHashToDataURL(Uint8Array.from(atob(hash), c => c.charCodeAt(0)))
    if (placeholders.size > 2000) placeholders.clear()
    placeholders.set(hash, url)
  }
  return url
}

/** A picture of an asset: blurred at once, sharp when it has come. */
export function Thumbnail({ asset }: { asset: AssetItem }) {
  const [loaded, setLoaded] = useState(false)
  const blurred = placeholder(asset.thumbhash)
  const url = asset.urls.thumbnail
  if (!url) return <div className={css.none}>{asset.extension.toUpperCase()}</div>
  return (
    <>
      {blurred && !loaded && <img src={blurred} alt="" className={css.picture} aria-hidden />}
      <img
        src={new URL(url).pathname + new URL(url).search}
        alt={asset.ai_caption || asset.title}
        className={loaded ? css.picture : css.coming}
        decoding="async"
        onLoad={() => setLoaded(true)}
        draggable={false}
      />
    </>
  )
}
