// biome-ignore-all lint/a11y/useFocusableInteractive: the row's link and the buttons take the focus
import { Check } from 'lucide-react'
import { type MouseEvent, memo } from 'react'
import { Reasons } from '~/features/search/Reasons'
import { useSelected } from '~/features/selection/context'
import type { Column } from './columns'
import type { AssetItem } from './query'
import css from './Table.module.css'
import { Thumbnail } from './Thumbnail'

interface TableRowProps {
  index: number
  top: number
  asset: AssetItem | undefined
  columns: readonly Column[]
  template: string
  href: (gaid: string) => string
  /** The row in the tab order. */
  isCurrent: boolean
  onClick: (e: MouseEvent, index: number) => void
}

/** An asset in a table; empty until it is loaded. */
export const TableRow = memo(function TableRow(props: TableRowProps) {
  const { index, top, asset, columns, template, href, isCurrent, onClick } = props
  const { selected } = useSelected(asset?.gaid)
  return (
    // biome-ignore lint/a11y: a row of the grid, whose link has the focus
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-index={index}
      className={selected ? `${css.row} ${css.selected}` : css.row}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template }}
      onClick={e => asset && onClick(e, index)}
    >
      <div role="gridcell" className={css.check} data-check>
        <Check aria-hidden />
      </div>
      {columns.map((c, i) => (
        <div key={c.id} role="gridcell" className={c.end ? `${css.cell} ${css.end}` : css.cell}>
          {asset && i === 0 && (
            <a href={href(asset.gaid)} className={css.title} tabIndex={isCurrent ? 0 : -1} draggable={false}>
              <span className={css.picture}>
                <Thumbnail key={asset.gaid} asset={asset} small />
              </span>
              <span className={css.text}>{asset.title}</span>
              {asset.matched_on && <Reasons asset={asset} look="inline" />}
            </a>
          )}
          {asset && i > 0 && <span className={css.text}>{c.text(asset)}</span>}
        </div>
      ))}
    </div>
  )
})
