import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { type LoadedList, useLoaded } from '~/features/assets/list'
import type { AssetItem } from '~/features/assets/query'
import { Thumbnail } from '~/features/assets/Thumbnail'
import { useSelected, useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import css from './Strip.module.css'
import { texts } from './texts'

const width = 76 // pixels of an item including its gap, as in Strip.module.css

/** The result as a strip of thumbnails below the displayed asset, sharing the list's selection. */
export function Strip({
  list,
  index,
  onGo,
}: {
  list: LoadedList
  index: number
  onGo: (gaid: string) => void
}) {
  const t = useTexts(texts)
  const selection = useSelection()
  const box = useRef<HTMLElement>(null)
  const moving = useRef(false)
  const items = useVirtualizer({
    horizontal: true,
    count: list.total,
    getScrollElement: () => box.current,
    estimateSize: () => width,
    overscan: 6,
  })
  const shown = items.getVirtualItems()
  useLoaded(list, shown[0]?.index ?? index, shown.at(-1)?.index ?? index)
  useLayoutEffect(() => {
    items.scrollToIndex(index, { align: 'center' })
  }, [index, items])
  useEffect(() => {
    if (!moving.current) return
    moving.current = false
    box.current?.querySelector<HTMLElement>(`[data-index="${index}"] button`)?.focus({ preventScroll: true })
  }, [index])

  const onClick = async (e: MouseEvent, i: number, gaid: string) => {
    if (e.shiftKey) {
      const from = selection.anchor ?? index
      selection.add(await list.gaids(Math.min(from, i), Math.max(from, i)), !(e.ctrlKey || e.metaKey))
    } else if (e.ctrlKey || e.metaKey) selection.toggle(gaid, i)
    else onGo(gaid)
  }
  const onKeyDown = (e: KeyboardEvent) => {
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: list.total - 1 }[e.key]
    const gaid = to === undefined || e.shiftKey ? undefined : list.at(to)?.gaid
    if (!gaid) return
    e.preventDefault()
    moving.current = true
    onGo(gaid)
  }
  return (
    <nav ref={box} className={css.strip} aria-label={t.strip} onKeyDown={onKeyDown}>
      <ul className={css.items} style={{ width: items.getTotalSize() }}>
        {shown.map(i => (
          <Item
            key={i.key}
            asset={list.at(i.index)}
            index={i.index}
            start={i.start}
            isCurrent={i.index === index}
            label={t.place}
            onClick={onClick}
          />
        ))}
      </ul>
    </nav>
  )
}

interface ItemProps {
  asset: AssetItem | undefined
  index: number
  start: number
  isCurrent: boolean
  label: (n: string) => string
  onClick: (e: MouseEvent, index: number, gaid: string) => void
}

function Item({ asset, index, start, isCurrent, label, onClick }: ItemProps) {
  const format = useFormat()
  const { selected } = useSelected(asset?.gaid)
  return (
    <li className={css.item} data-index={index} style={{ transform: `translateX(${start}px)` }}>
      {asset && (
        <button
          type="button"
          className={css.button}
          tabIndex={isCurrent ? 0 : -1}
          aria-current={isCurrent || undefined}
          aria-pressed={selected}
          aria-label={`${asset.title}, ${label(format.number(index + 1))}`}
          onClick={e => onClick(e, index, asset.gaid)}
        >
          <Thumbnail asset={asset} small />
        </button>
      )}
    </li>
  )
}
