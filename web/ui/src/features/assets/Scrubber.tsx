import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTexts } from '~/text/context'
import type { Geometry } from './geometry'
import { useSectionName } from './Heading'
import css from './Scrubber.module.css'
import type { Section } from './sections'
import { texts } from './texts'

interface ScrubberProps {
  sections: readonly Section[]
  /** The element that it scrolls. */
  box: RefObject<HTMLDivElement | null>
  geometry: Geometry
}

const shownAfter = 1500 // milliseconds for which the handle stays visible on a touch screen
const labelHeight = 22 // pixels

/** The start of each section, in pixels of the scrolled content. */
function useStarts(sections: readonly Section[], geometry: Geometry) {
  return useMemo(
    () => sections.map(s => geometry.top(Math.max(0, geometry.rowOf(s.index) - 1))),
    [sections, geometry],
  )
}

/** The last section that starts at or above a position. */
function sectionAt(starts: readonly number[], y: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= y) low = middle
    else high = middle - 1
  }
  return low
}

/** Scrolls through the months or years of a list: by dragging, by a click, and by keyboard as a slider. */
export function Scrubber({ sections, box, geometry }: ScrubberProps) {
  const t = useTexts(texts)
  const name = useSectionName()
  const track = useRef<HTMLDivElement>(null)
  const handle = useRef<HTMLDivElement>(null)
  const starts = useStarts(sections, geometry)
  const [now, setNow] = useState(0)
  const [dragging, setDragging] = useState(false)
  const [moving, setMoving] = useState(false)
  const [height, setHeight] = useState(0)

  useEffect(() => {
    const el = box.current
    if (!el) return
    let timer: number | undefined
    const follow = () => {
      const size = track.current?.clientHeight ?? 0
      setHeight(size)
      const share = el.scrollTop / Math.max(1, el.scrollHeight - el.clientHeight)
      if (handle.current) handle.current.style.transform = `translateY(${share * size}px)`
      setNow(sectionAt(starts, el.scrollTop + 1))
    }
    const onScroll = () => {
      follow()
      setMoving(true)
      window.clearTimeout(timer)
      timer = window.setTimeout(() => setMoving(false), shownAfter)
    }
    follow()
    const observer = new ResizeObserver(follow)
    observer.observe(el)
    el.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      window.clearTimeout(timer)
      observer.disconnect()
      el.removeEventListener('scroll', onScroll)
    }
  }, [box, starts])

  const most = (el: HTMLElement) => Math.max(1, el.scrollHeight - el.clientHeight)
  const scrollTo = (clientY: number) => {
    const el = box.current
    const r = track.current?.getBoundingClientRect()
    if (!el || !r) return
    el.scrollTop = Math.min(1, Math.max(0, (clientY - r.top) / r.height)) * most(el)
  }
  const goTo = (section: number) => {
    const i = Math.min(sections.length - 1, Math.max(0, section))
    if (box.current) box.current.scrollTop = starts[i] ?? 0
  }
  const onKeyDown = (e: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowDown: now + 1,
      ArrowRight: now + 1,
      ArrowUp: now - 1,
      ArrowLeft: now - 1,
      PageDown: now + 12,
      PageUp: now - 12,
      Home: 0,
      End: sections.length - 1,
    }
    const to = steps[e.key]
    if (to === undefined) return
    e.preventDefault()
    goTo(to)
  }
  const drag = {
    onPointerDown: (e: PointerEvent) => {
      if (e.button !== 0) return
      e.currentTarget.setPointerCapture(e.pointerId)
      setDragging(true)
      scrollTo(e.clientY)
    },
    onPointerMove: (e: PointerEvent) => dragging && scrollTo(e.clientY),
    onPointerUp: () => setDragging(false),
    onPointerCancel: () => setDragging(false),
  }
  const section = sections[now]
  const text = section ? name(section) : ''
  const box0 = box.current
  const years = box0 ? yearLabels(sections, starts, most(box0), height) : []
  return (
    <div className={css.scrubber} data-moving={moving || dragging || undefined}>
      <div ref={track} className={css.track} {...drag}>
        {years.map(y => (
          <span key={y.year} className={css.year} style={{ top: y.top }} aria-hidden>
            {y.year}
          </span>
        ))}
        <div
          ref={handle}
          role="slider"
          tabIndex={0}
          aria-label={t.scrubber}
          aria-orientation="vertical"
          aria-valuemin={0}
          aria-valuemax={Math.max(0, sections.length - 1)}
          aria-valuenow={now}
          aria-valuetext={text}
          className={css.handle}
          onKeyDown={onKeyDown}
        >
          <span className={css.month} data-shown={dragging || undefined} aria-hidden>
            {text}
          </span>
        </div>
      </div>
    </div>
  )
}

/** The years that fit along the track. */
function yearLabels(sections: readonly Section[], starts: readonly number[], most: number, height: number) {
  const labels: { year: string; top: number }[] = []
  sections.forEach((s, i) => {
    const year = s.period?.slice(0, 4)
    if (!year || sections[i - 1]?.period?.startsWith(year)) return
    const top = Math.min(1, (starts[i] ?? 0) / most) * height
    const last = labels.at(-1)
    if (!last || top - last.top >= labelHeight) labels.push({ year, top })
  })
  return labels
}
