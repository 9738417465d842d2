import { type Ref, useState } from 'react'
import type { LoadedList } from '~/features/assets/list'
import { useLoaded } from '~/features/assets/list'
import { Media } from './Media'
import { Picture, type PictureControls } from './Picture'
import css from './Stage.module.css'
import type { Shown } from './shown'

const ahead = 3 // neighbours whose pages are loaded

interface StageProps {
  asset: Shown | undefined
  list: LoadedList | undefined
  index: number | null
  controls: Ref<PictureControls>
  onTurn: (by: 1 | -1) => void
  onDown: () => void
}

/**
 * The asset in view between its neighbours, which wait beside it, loaded. A step
 * to one of them moves all three, so that nothing flashes; a jump shows at once.
 */
export function Stage({ asset, list, index, controls, onTurn, onDown }: StageProps) {
  const [drag, setDrag] = useState<number | null>(null)
  const panes: { offset: number; asset: Shown }[] = []
  for (const offset of [-1, 0, 1]) {
    const a = offset === 0 ? asset : index === null ? undefined : list?.at(index + offset)
    if (a && !panes.some(p => p.asset.gaid === a.gaid)) panes.push({ offset, asset: a })
  }
  return (
    <div className={css.stage} data-dragged={drag !== null || undefined}>
      {list && index !== null && <Neighbours list={list} index={index} />}
      {panes.map(({ offset, asset: a }) => (
        <div
          key={a.gaid}
          className={css.pane}
          inert={offset !== 0}
          style={{ transform: `translateX(calc(${offset * 100}% + ${drag ?? 0}px))` }}
        >
          {isPicture(a) ? (
            <Picture
              asset={a}
              isCurrent={offset === 0}
              {...(offset === 0 && { controls })}
              onDrag={setDrag}
              onTurn={onTurn}
              onDown={onDown}
            />
          ) : (
            <Media asset={a} isCurrent={offset === 0} />
          )}
        </div>
      ))}
    </div>
  )
}

function Neighbours({ list, index }: { list: LoadedList; index: number }) {
  useLoaded(list, Math.max(0, index - ahead), Math.min(list.total - 1, index + ahead))
  return null
}

/** Whether an asset is shown as a picture that can be enlarged. */
export function isPicture(a: Pick<Shown, 'file_category' | 'urls'>): boolean {
  return a.file_category !== 'Video' && a.file_category !== 'Audio' && a.urls.preview !== null
}
