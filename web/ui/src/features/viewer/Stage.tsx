import { lazy, type Ref, Suspense, useState } from 'react'
import { Busy } from '~/components/state/Busy'
import type { LoadedList } from '~/features/assets/list'
import { useLoaded } from '~/features/assets/list'
import { useTexts } from '~/text/context'
import { Animation } from './Animation'
import type { ShowsProps, ViewControls } from './controls'
import { viewOf } from './kinds'
import { Picture } from './Picture'
import css from './Stage.module.css'
import type { Shown } from './shown'
import { texts } from './texts'
import { Unseen } from './Unseen'

const Player = lazy(() => import('./player/Player'))
const Pages = lazy(() => import('./pages/Pages'))
const Text = lazy(() => import('./Text'))
const Archive = lazy(() => import('./Archive'))

const ahead = 3 // neighbors whose list pages are preloaded

interface StageProps {
  asset: Shown | undefined
  list: LoadedList | undefined
  index: number | null
  controls: Ref<ViewControls>
  onTurn: (by: 1 | -1) => void
  onDown: () => void
}

/**
 * The displayed asset between its preloaded neighbors. A step to a neighbor moves all three without flicker; a jump
 * is immediate.
 */
export function Stage({ asset, list, index, controls, onTurn, onDown }: StageProps) {
  const t = useTexts(texts)
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
          <Suspense fallback={offset === 0 && <Busy label={t.loading} />}>
            <Shows
              asset={a}
              isCurrent={offset === 0}
              {...(offset === 0 && { controls })}
              onDrag={setDrag}
              onTurn={onTurn}
              onDown={onDown}
            />
          </Suspense>
        </div>
      ))}
    </div>
  )
}

/** Renders an asset with the viewer for its type. Preloaded neighbors are pictures, if they have one. */
function Shows(props: ShowsProps) {
  const { asset, isCurrent } = props
  const view = viewOf(asset)
  if (view === 'picture' || (!isCurrent && asset.urls.preview)) return <Picture {...props} />
  if (!isCurrent || view === 'nothing') return <Unseen asset={asset} />
  switch (view) {
    case 'animation':
      return <Animation {...props} />
    case 'pages':
      return <Pages {...props} />
    case 'text':
      return <Text {...props} />
    case 'archive':
      return <Archive asset={asset} />
  }
  return <Player {...props} />
}

function Neighbours({ list, index }: { list: LoadedList; index: number }) {
  useLoaded(list, Math.max(0, index - ahead), Math.min(list.total - 1, index + ahead))
  return null
}
