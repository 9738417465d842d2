import { Check } from 'lucide-react'
import { type MouseEvent, memo } from 'react'
import { Reasons } from '~/features/search/Reasons'
import { useSelected } from '~/features/selection/context'
import { useFormat } from '~/text/context'
import css from './Cell.module.css'
import type { AssetItem } from './query'
import { Thumbnail } from './Thumbnail'
import { UsageBadge } from './UsageBadge'

interface CellProps {
  index: number
  asset: AssetItem | undefined
  width: number
  href: (gaid: string) => string
  /** The cell in the tab order. */
  isCurrent: boolean
  onClick: (e: MouseEvent, index: number) => void
}

/** An asset in a grid; a placeholder until it is loaded. */
export const Cell = memo(function Cell({ index, asset, width, href, isCurrent, onClick }: CellProps) {
  const format = useFormat()
  const { selected, selecting } = useSelected(asset?.gaid)
  const classes = [css.cell, selected && css.selected, selecting && css.selecting].filter(Boolean).join(' ')
  return (
    // biome-ignore lint/a11y: a cell of the grid, whose link has the focus
    <div role="gridcell" aria-selected={selected} data-index={index} className={classes} style={{ width }}>
      {asset && (
        <a
          href={href(asset.gaid)}
          className={css.link}
          tabIndex={isCurrent ? 0 : -1}
          draggable={false}
          onPointerEnter={e => {
            // Formatting dates is slow, and few cells are ever hovered.
            const { capture_local_time: taken, created_at } = asset
            e.currentTarget.title = `${asset.title}\n${taken ? format.localDay(taken) : format.day(created_at)}`
          }}
          onClick={e => onClick(e, index)}
        >
          <Thumbnail asset={asset} />
          <span className={css.corner}>
            {asset.duration !== null && <span className={css.badge}>{format.duration(asset.duration)}</span>}
            <UsageBadge asset={asset} />
          </span>
          {asset.matched_on && <Reasons asset={asset} />}
          <span className={css.check} data-check aria-hidden>
            <Check />
          </span>
        </a>
      )}
    </div>
  )
})
