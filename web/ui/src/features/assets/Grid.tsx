import { useVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router'
import { useFormat, useTexts } from '~/text/context'
import css from './Grid.module.css'
import { justify, shownRatio } from './justified'
import { type AssetItem, type AssetQuery, pageSize, useAssetPages } from './query'
import { Thumbnail } from './Thumbnail'
import { texts } from './texts'

const gap = 4
const targets = { narrow: 120, wide: 220 } // pixels of a row

interface GridProps {
  query: AssetQuery
  /** Ratios of width to height of the whole result, in its order. */
  ratios: ArrayLike<number>
}

/** The assets of a query as a justified grid of which only what is seen exists. */
export function Grid({ query, ratios }: GridProps) {
  const t = useTexts(texts)
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const el = box.current
    if (!el) return
    const observer = new ResizeObserver(() => setWidth(el.clientWidth))
    observer.observe(el)
    setWidth(el.clientWidth)
    return () => observer.disconnect()
  }, [])
  const layout = useMemo(
    () => justify(ratios, Math.max(1, width), width < 700 ? targets.narrow : targets.wide, gap),
    [ratios, width],
  )
  const rows = useVirtualizer({
    count: layout.rows,
    getScrollElement: () => box.current,
    estimateSize: i => (layout.heights[i] ?? 0) + gap,
    overscan: 4,
  })
  useLayoutEffect(() => {
    void layout
    rows.measure()
  }, [layout, rows])
  const shown = rows.getVirtualItems()
  const from = layout.first[shown[0]?.index ?? 0] ?? 0
  const to = (layout.first[(shown.at(-1)?.index ?? 0) + 1] ?? 1) - 1
  const { items } = useAssetPages(
    query,
    Math.floor(from / pageSize),
    Math.floor(Math.max(from, to) / pageSize),
  )

  return (
    <div
      ref={box}
      className={css.box}
      role="grid"
      aria-label={t.assets}
      aria-rowcount={layout.rows}
      tabIndex={-1}
    >
      <div className={css.content} style={{ height: rows.getTotalSize() }}>
        {shown.map(row => {
          const start = layout.first[row.index] ?? 0
          const end = layout.first[row.index + 1] ?? start
          const height = layout.heights[row.index] ?? 0
          return (
            <div
              key={row.key}
              role="row"
              aria-rowindex={row.index + 1}
              className={css.row}
              style={{ transform: `translateY(${row.start}px)`, height }}
            >
              {Array.from({ length: end - start }, (_, i) => (
                <Cell
                  key={start + i}
                  asset={items.get(start + i)}
                  width={(ratios[start + i] ?? 1) * height}
                />
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function Cell({ asset, width }: { asset: AssetItem | undefined; width: number }) {
  const format = useFormat()
  return (
    <div role="gridcell" className={css.cell} style={{ width }}>
      {asset && (
        <Link
          to={`/assets/${asset.gaid}`}
          className={css.link}
          title={`${asset.title} · ${format.day(asset.capture_date ?? asset.created_at)}`}
        >
          <Thumbnail asset={asset} />
        </Link>
      )}
    </div>
  )
}

export { shownRatio }
