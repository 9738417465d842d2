import { ScanText } from 'lucide-react'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '~/components/button/Button'
import { altText } from '~/features/assets/alt'
import { blurred, local } from '~/features/assets/Thumbnail'
import { useFormat, useLanguage, useTexts } from '~/text/context'
import type { ViewControls } from './controls'
import { useGestures } from './gestures'
import { shownByBrowsers } from './kinds'
import css from './Picture.module.css'
import { largeSize, lookedAt, previewSize, type Shown } from './shown'
import { Marks } from './words/Marks'
import { TextLayer } from './words/TextLayer'
import { texts } from './words/texts'
import marksCss from './words/Words.module.css'
import { linesOf, wordsOf } from './words/words'
import { fit, fitted, type Placement, panned, type Size, zoomed } from './zoom'

const step = 1.5 // zoom factor per key press or click
const unknown: Size = { width: 1600, height: 1200 }

interface PictureProps {
  asset: Shown
  /** Whether it is the displayed one; its neighbors are only preloaded. */
  isCurrent: boolean
  /** For animations: whether it plays, like its original. */
  isPlaying?: boolean
  /** Its placement, if controlled from outside. */
  place?: Placement
  onPlace?: (p: Placement) => void
  controls?: React.Ref<ViewControls>
  onDrag?: (dx: number | null) => void
  onTurn?: (by: 1 | -1) => void
  onDown?: () => void
}

/** A picture that can be zoomed and moved with the wheel, pinch, double tap, keys and drags. */
export function Picture({
  asset,
  isCurrent,
  isPlaying,
  place: kept,
  onPlace,
  controls,
  onDrag,
  onTurn,
  onDown,
}: PictureProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const { language } = useLanguage()
  const frame = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  const [own, setOwn] = useState<Placement>(fitted)
  const [natural, setNatural] = useState<Size | null>(null)
  const [state, setState] = useState<'coming' | 'here' | 'failed'>('coming')
  const [sharp, setSharp] = useState<string | null>(null) // the loaded picture
  const [chosen, setReads] = useState(false) // to select text
  const words = wordsOf(asset)
  const reads = chosen && isCurrent && words.length > 0
  const place = kept ?? own
  // Pinch events are more frequent than renders: each continues from the last one.
  const latest = useRef(place)
  latest.current = place
  const setPlace = (fn: (p: Placement) => Placement) => {
    latest.current = fn(latest.current)
    ;(onPlace ?? setOwn)(latest.current)
  }

  useLayoutEffect(() => {
    const el = frame.current
    if (!el) return
    const observer = new ResizeObserver(() => setSize({ width: el.clientWidth, height: el.clientHeight }))
    observer.observe(el)
    setSize({ width: el.clientWidth, height: el.clientHeight })
    return () => observer.disconnect()
  }, [])

  const picture: Size = lookedAt(asset) ?? natural ?? unknown
  const box = fit(picture, size.width ? size : picture)
  const actual = Math.max(1, picture.width / box.width / window.devicePixelRatio)
  const largest = Math.max(8, actual * 4)

  const zoom = (factor: number, at = { x: 0, y: 0 }) =>
    setPlace(p => panned(zoomed(p, factor, at.x, at.y, largest), 0, 0, box, size))
  const toggle = (at = { x: 0, y: 0 }) => {
    if (latest.current.scale > 1) setPlace(() => fitted)
    else zoom(actual > 1.2 ? actual : 2, at)
  }
  const pan = (dx: number, dy: number) => setPlace(p => panned(p, dx, dy, box, size))
  useImperativeHandle(controls, () => ({
    closer: () => zoom(step),
    further: () => zoom(1 / step),
    toggle: () => toggle(),
    pan,
  }))
  const at = (x: number, y: number) => {
    const r = frame.current?.getBoundingClientRect() ?? { left: 0, top: 0, width: 1, height: 1 }
    return { x: (x - r.left) / r.width - 0.5, y: (y - r.top) / r.height - 0.5 }
  }
  const gestures = useGestures({
    at,
    onZoom: zoom,
    onPan: pan,
    onDoubleTap: toggle,
    pans: () => latest.current.scale > 1,
    onDrag,
    onTurn,
    onDown,
  })

  const latestZoom = useRef(zoom)
  useEffect(() => {
    latestZoom.current = zoom
  })
  useEffect(() => {
    const el = frame.current
    if (!el) return
    // React's wheel listeners are passive; the page must not scroll or zoom here.
    const onWheel = (e: WheelEvent) => {
      e.preventDefault()
      const r = el.getBoundingClientRect()
      const at = { x: (e.clientX - r.left) / r.width - 0.5, y: (e.clientY - r.top) / r.height - 0.5 }
      latestZoom.current(Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.002)), at)
    }
    el.addEventListener('wheel', onWheel, { passive: false })
    return () => el.removeEventListener('wheel', onWheel)
  }, [])
  useEffect(() => {
    if (!isCurrent) setOwn(fitted)
  }, [isCurrent])

  const preview = asset.urls.preview
  const first = blurred(asset.thumbhash)
  const needed = box.width * place.scale * window.devicePixelRatio
  const longest = previewSize * (picture.width / Math.max(picture.width, picture.height))
  const closer = isPlaying === undefined && place.scale > 1 && needed > longest
  const wanted = !isCurrent ? null : isPlaying ? asset.urls.original : closer ? sharpest(asset, needed) : null
  const layers = isPlaying === false ? [] : [...new Set([sharp, wanted])].filter(url => url !== null)
  return (
    <div
      ref={frame}
      className={css.frame}
      data-zoomed={place.scale > 1 || undefined}
      data-reads={reads || undefined}
      {...(reads ? {} : gestures)}
    >
      <div
        className={css.picture}
        data-scale={place.scale.toFixed(2)}
        style={{
          width: box.width,
          height: box.height,
          transform: `translate(${place.x * size.width}px, ${place.y * size.height}px) scale(${place.scale})`,
        }}
      >
        {first && state !== 'here' && <img src={first} alt="" className={css.layer} />}
        {asset.urls.thumbnail && state === 'coming' && (
          <img src={local(asset.urls.thumbnail)} alt="" className={css.layer} draggable={false} />
        )}
        {preview && (
          <img
            src={local(preview)}
            alt={altText(asset, format, language)}
            className={css.layer}
            data-coming={state !== 'here' || (isPlaying && sharp !== null) || undefined}
            draggable={false}
            onLoad={e => {
              setNatural({ width: e.currentTarget.naturalWidth, height: e.currentTarget.naturalHeight })
              setState('here')
            }}
            onError={() => setState('failed')}
          />
        )}
        {layers.map(url => (
          <img
            key={url}
            src={local(url)}
            alt=""
            className={css.layer}
            data-coming={sharp !== url || undefined}
            onLoad={() => setSharp(url)}
            draggable={false}
          />
        ))}
        {isCurrent && <Marks words={words} />}
        {reads && <TextLayer lines={linesOf(words)} ratio={picture.width / picture.height} isShown />}
      </div>
      {isCurrent && words.length > 0 && (
        <IconButton
          label={reads ? t.hideText : t.showText}
          aria-pressed={reads}
          className={marksCss.toggle}
          onPress={() => setReads(!reads)}
        >
          <ScanText />
        </IconButton>
      )}
    </div>
  )
}

/** The smallest picture with at least the needed width, if there is one. */
function sharpest(asset: Shown, needed: number): string | null {
  const { large, original } = asset.urls
  if (!shownByBrowsers.includes(asset.mime_type)) return large
  const { width, height } = { width: asset.width ?? 1, height: asset.height ?? 1 }
  const longest = Math.max(width, height)
  return large && longest > largeSize && needed <= largeSize * (width / longest) ? large : original
}
