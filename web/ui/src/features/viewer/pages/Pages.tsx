import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { useTexts } from '~/text/context'
import type { ShowsProps } from '../controls'
import { useFocusAtFirst } from '../useFocusAtFirst'
import { pagesOf } from './count'
import { Page } from './Page'
import css from './Pages.module.css'
import { PagesBar } from './PagesBar'
import { texts } from './texts'

const step = 1.5 // zoom factor per key press or click
const largest = 6
const widest = 832 // pixels of a page at normal size
const edge = 12 // pixels around pages
const barHeight = 72 // pixels for the toolbar below the last page
const usualRatio = 210 / 297

/** The pages of a document, rendered when visible, with selectable text. */
export default function Pages({ asset, controls }: ShowsProps) {
  const t = useTexts(texts)
  const count = pagesOf(asset)
  const box = useFocusAtFirst<HTMLElement>()
  const [frame, setFrame] = useState({ width: 0, height: 0 })
  const [scale, setScale] = useState(1)
  const [ratios, setRatios] = useState<ReadonlyMap<number, number>>(new Map())
  const width = Math.max(80, Math.min(widest, frame.width - 2 * edge)) * scale
  const first = asset.width && asset.height ? asset.width / asset.height : usualRatio
  const ratioOf = (i: number) => ratios.get(i) ?? ratios.get(0) ?? first
  const heightOf = (i: number) => Math.round(width / ratioOf(i)) + edge
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: heightOf,
    paddingStart: edge,
    paddingEnd: barHeight,
    overscan: 1,
  })
  const items = rows.getVirtualItems()
  const middle = (rows.scrollOffset ?? 0) + frame.height / 2
  const current = (rows.getVirtualItemForOffset(middle)?.index ?? 0) + 1

  // The position in the middle is kept when pages grow or shrink.
  const held = useRef({ index: 0, share: 0 })
  const hold = () => {
    const item = rows.getVirtualItemForOffset(middle)
    if (item) held.current = { index: item.index, share: (middle - item.start) / item.size }
  }
  const latest = useRef({ hold, zoom: (_: number) => {} })
  useLayoutEffect(() => {
    const el = box.current
    if (!el) return
    const measure = () => {
      latest.current.hold()
      setFrame({ width: el.clientWidth, height: el.clientHeight })
    }
    const observer = new ResizeObserver(measure)
    observer.observe(el)
    measure()
    return () => observer.disconnect()
  }, [box])
  // biome-ignore lint/correctness/useExhaustiveDependencies: sizes follow from these
  useLayoutEffect(() => rows.measure(), [width, ratios])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another width moves what is held
  useLayoutEffect(() => {
    const el = box.current
    if (!el || frame.height === 0) return
    const { index, share } = held.current
    let start = edge
    for (let i = 0; i < index; i++) start += heightOf(i)
    el.scrollTop = start + share * heightOf(index) - frame.height / 2
    el.scrollLeft = (el.scrollWidth - el.clientWidth) / 2
  }, [width])

  const zoom = (factor: number) => {
    hold()
    setScale(s => Math.min(largest, Math.max(1, s * factor)))
  }
  const go = (page: number) => rows.scrollToIndex(Math.min(count, Math.max(1, page)) - 1, { align: 'start' })
  useEffect(() => {
    latest.current = { hold, zoom }
  })
  useEffect(() => {
    const el = box.current
    if (!el) return
    // React's wheel listeners are passive; the window must not zoom here.
    const onWheel = (e: WheelEvent) => {
      if (!e.ctrlKey) return
      e.preventDefault()
      latest.current.zoom(Math.exp(-e.deltaY * 0.01))
    }
    el.addEventListener('wheel', onWheel, { passive: false })
    return () => el.removeEventListener('wheel', onWheel)
  }, [box])
  useImperativeHandle(controls, () => ({
    closer: () => zoom(step),
    further: () => zoom(1 / step),
    toggle: () => zoom(scale > 1 ? 0 : 2),
    pan: (dx, dy) => box.current?.scrollBy(-dx * frame.width, -dy * frame.height),
    page: by => go(current + by),
  }))
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys */}
      <section ref={box} className={css.scroll} tabIndex={0} aria-label={t.pagesOf(asset.title)}>
        <div
          className={css.column}
          data-scale={scale.toFixed(2)}
          style={{ height: rows.getTotalSize(), width: scale > 1 ? width + 2 * edge : undefined }}
        >
          {items.map(i => (
            <div
              key={i.key}
              className={css.place}
              style={{ top: i.start, width, height: i.size - edge, marginInlineStart: -width / 2 }}
            >
              <Page
                asset={asset}
                page={i.index + 1}
                count={count}
                ratio={ratioOf(i.index)}
                onRatio={ratio => {
                  if (Math.abs(ratio / ratioOf(i.index) - 1) > 0.005)
                    setRatios(old => new Map(old).set(i.index, ratio))
                }}
              />
            </div>
          ))}
        </div>
      </section>
      <PagesBar page={current} count={count} onGo={go} onZoom={by => zoom(by > 0 ? step : 1 / step)} />
    </>
  )
}
