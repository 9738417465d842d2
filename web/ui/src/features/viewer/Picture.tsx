import { useEffect, useRef, useState } from 'react'
import type { Schemas } from '~/api/client'
import { blurred, local } from '~/features/assets/Thumbnail'
import css from './Viewer.module.css'
import { fitted, type Placement, panned, zoomed } from './zoom'

type Asset = Schemas['Asset'] | Schemas['AssetItem']

const sharpFrom = 1.5 // enlarged more than so the original is asked for

/** Kinds that every browser shows; others are shown by their preview only. */
const shownByBrowsers = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']

/** The picture of an asset, which wheel, pinch, double click, + and - enlarge and which can be dragged. */
export function Picture({ asset }: { asset: Asset }) {
  const frame = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState<Placement>(fitted)
  const [sharp, setSharp] = useState(false)
  const pointers = useRef(new Map<number, { x: number; y: number }>())

  useEffect(() => {
    const el = frame.current
    if (!el) return
    // React listens to the wheel passively; the page must not scroll or zoom here.
    const onWheel = (e: WheelEvent) => {
      e.preventDefault()
      const r = el.getBoundingClientRect()
      const factor = Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.002))
      setPlace(p => zoomed(p, factor, e.clientX - r.left - r.width / 2, e.clientY - r.top - r.height / 2))
    }
    const onKey = (e: KeyboardEvent) => {
      if (e.target instanceof HTMLInputElement || e.target instanceof HTMLTextAreaElement) return
      if (e.key === '+' || e.key === '=') setPlace(p => zoomed(p, 1.5, 0, 0))
      if (e.key === '-') setPlace(p => zoomed(p, 1 / 1.5, 0, 0))
      if (e.key === '0') setPlace(fitted)
    }
    el.addEventListener('wheel', onWheel, { passive: false })
    document.addEventListener('keydown', onKey)
    return () => {
      el.removeEventListener('wheel', onWheel)
      document.removeEventListener('keydown', onKey)
    }
  }, [])

  const wantsSharp = place.scale > sharpFrom && shownByBrowsers.includes(asset.mime_type)
  const preview = asset.urls.preview
  if (!preview) return <div className={css.none}>{asset.extension.toUpperCase()}</div>
  const background = blurred(asset.thumbhash)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: zooming and panning have keys too, which work anywhere in the viewer
    <div
      ref={frame}
      className={css.frame}
      data-zoomed={place.scale > 1 || undefined}
      onDoubleClick={e => {
        const r = e.currentTarget.getBoundingClientRect()
        setPlace(p =>
          p.scale > 1
            ? fitted
            : zoomed(p, 3, e.clientX - r.left - r.width / 2, e.clientY - r.top - r.height / 2),
        )
      }}
      onPointerDown={e => {
        pointers.current.set(e.pointerId, { x: e.clientX, y: e.clientY })
        e.currentTarget.setPointerCapture(e.pointerId)
      }}
      onPointerMove={e => {
        const before = pointers.current.get(e.pointerId)
        if (!before) return
        const r = e.currentTarget.getBoundingClientRect()
        const other = [...pointers.current].find(([id]) => id !== e.pointerId)?.[1]
        pointers.current.set(e.pointerId, { x: e.clientX, y: e.clientY })
        if (!other) {
          setPlace(p =>
            p.scale > 1 ? panned(p, e.clientX - before.x, e.clientY - before.y, r.width, r.height) : p,
          )
          return
        }
        const apart = (a: { x: number; y: number }) => Math.hypot(a.x - other.x, a.y - other.y)
        const x = (e.clientX + other.x) / 2 - r.left - r.width / 2
        const y = (e.clientY + other.y) / 2 - r.top - r.height / 2
        setPlace(p => zoomed(p, apart({ x: e.clientX, y: e.clientY }) / Math.max(1, apart(before)), x, y))
      }}
      onPointerUp={e => pointers.current.delete(e.pointerId)}
      onPointerCancel={e => pointers.current.delete(e.pointerId)}
    >
      <div
        className={css.moved}
        style={{ transform: `translate(${place.x}px, ${place.y}px) scale(${place.scale})` }}
      >
        {background && <img src={background} alt="" aria-hidden className={css.blurred} />}
        <img src={local(preview)} alt={asset.title} className={css.picture} draggable={false} />
        {wantsSharp && (
          <img
            src={local(asset.urls.original)}
            alt=""
            aria-hidden
            className={css.picture}
            data-coming={!sharp || undefined}
            onLoad={() => setSharp(true)}
            draggable={false}
          />
        )}
      </div>
    </div>
  )
}
