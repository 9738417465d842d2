import { ChevronLeft, ChevronRight } from 'lucide-react'
import { lazy, Suspense, useRef } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { useNavigate } from 'react-router'
import { IconButton } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { usePageTitle } from '~/components/title'
import { toast } from '~/components/toast/Toast'
import { useAsset } from '~/features/assets/asset'
import type { OpenProps } from '~/features/assets/Browser'
import { useKeys } from '~/features/keys/useKeys'
import { useSelection } from '~/features/selection/context'
import { texts as triageTexts } from '~/features/triage/texts'
import { useTriageKeys } from '~/features/triage/useTriageKeys'
import { useTexts } from '~/text/context'
import { Bar } from './Bar'
import type { ViewControls } from './controls'
import { Failure } from './Failure'
import { canPlay, isRead, viewOf } from './kinds'
import { useKept } from './prefs'
import { Stage } from './Stage'
import { Strip } from './Strip'
import { texts } from './texts'
import { useFullScreen } from './useFullScreen'
import css from './Viewer.module.css'

const Panel = lazy(() => import('./panel/Panel'))
const panStep = 0.1 // of the frame
const leap = 10 // seconds

/** The full-window viewer of an asset, with its details beside it. */
export function Viewer(props: OpenProps) {
  const t = useTexts(texts)
  const asset = useAsset(props.gaid)
  const title = asset.data?.title ?? (asset.error ? t.unreadable : t.loading)
  usePageTitle(title)
  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className={css.over}>
      <Modal className={css.modal}>
        <Dialog className={css.dialog} aria-label={title} data-viewer>
          <Opened {...props} read={asset} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function Opened({
  gaid,
  list,
  index,
  onGo,
  onClose,
  read,
}: OpenProps & { read: ReturnType<typeof useAsset> }) {
  const t = useTexts(texts)
  const tt = useTexts(triageTexts)
  const navigate = useNavigate()
  const selection = useSelection()
  const controls = useRef<ViewControls>(null)
  const screen = useFullScreen()
  const [details, setDetails] = useKept('details', window.innerWidth > 900)
  const [strip, setStrip] = useKept('strip', false)
  const [advances, setAdvances] = useKept('advance', false)

  const item = index === null ? undefined : list?.at(index)
  const asset = read.data ?? (item?.gaid === gaid ? item : undefined)
  const view = asset && viewOf(asset)
  const to = (i: number) => {
    const there = index === null ? undefined : list?.at(i)?.gaid
    return there && there !== gaid ? () => onGo(there) : undefined
  }
  const next = to((index ?? 0) + 1)
  const previous = to((index ?? 0) - 1)
  const toggleAdvance = () => {
    setAdvances(!advances)
    toast({ text: advances ? tt.advanceOff : tt.advanceOn })
  }
  const close = () => (screen.on ? screen.toggle() : onClose())
  const toSimilar = () => void navigate(`/assets/${gaid}/similar`)

  useKeys(
    {
      next,
      previous,
      first: to(0),
      last: to((list?.total ?? 0) - 1),
      closer: () => controls.current?.closer?.(),
      further: () => controls.current?.further?.(),
      actual: () => controls.current?.toggle?.(),
      panLeft: () => controls.current?.pan?.(panStep, 0),
      panRight: () => controls.current?.pan?.(-panStep, 0),
      panUp: () => controls.current?.pan?.(0, panStep),
      panDown: () => controls.current?.pan?.(0, -panStep),
      ...(view && canPlay(view) && { play: () => controls.current?.play?.() }),
      ...((view === 'video' || view === 'audio') && {
        back: () => controls.current?.skip?.(-leap),
        forward: () => controls.current?.skip?.(leap),
        frameBack: () => controls.current?.frame?.(-1),
        frameOn: () => controls.current?.frame?.(1),
        slower: () => controls.current?.speed?.(-1),
        faster: () => controls.current?.speed?.(1),
        mute: () => controls.current?.mute?.(),
      }),
      ...(view === 'pages' && {
        nextPage: () => controls.current?.page?.(1),
        previousPage: () => controls.current?.page?.(-1),
      }),
      fullScreen: screen.toggle,
      strip: () => setStrip(!strip),
      details: () => setDetails(!details),
      mark: index === null ? undefined : () => selection.toggle(gaid, index),
      similar: toSimilar,
      advance: toggleAdvance,
      close,
    },
    '[data-viewer]',
  )
  const triage = useTriageKeys({
    within: '[data-viewer]',
    targets: () => (asset && !asset.deleted_at ? [asset] : []),
    onChanged: () => advances && next?.(),
    onTrash: () => (next ?? previous ?? onClose)(),
  })

  return (
    <div className={css.viewer} data-full={screen.on || undefined} data-idle={screen.idle || undefined}>
      <div className={css.left}>
        <Bar
          asset={asset}
          isPending={read.isPending}
          place={index === null || !list ? null : { index, total: list.total }}
          details={details}
          strip={strip}
          advances={advances}
          hasList={list !== undefined && index !== null}
          isFull={screen.on}
          onDetails={() => setDetails(!details)}
          onStrip={() => setStrip(!strip)}
          onAdvance={toggleAdvance}
          onFull={screen.toggle}
          onZoom={() => controls.current?.toggle?.()}
          onSimilar={toSimilar}
          onAsk={triage.ask}
          onTrash={triage.toTrash}
          onClose={close}
        />
        <div className={css.middle} data-reads={(view && isRead(view)) || undefined}>
          {read.error && !asset ? (
            <Failure error={read.error} onRetry={() => void read.refetch()} onClose={onClose} />
          ) : !asset ? (
            <Busy label={t.loading} />
          ) : (
            <Stage
              asset={asset}
              list={list}
              index={index}
              controls={controls}
              onTurn={by => (by > 0 ? next : previous)?.()}
              onDown={onClose}
            />
          )}
          {previous && (
            <IconButton label={t.previous} className={css.previous} onPress={previous}>
              <ChevronLeft />
            </IconButton>
          )}
          {next && (
            <IconButton label={t.next} className={css.next} onPress={next}>
              <ChevronRight />
            </IconButton>
          )}
        </div>
        {strip && !screen.on && list && index !== null && <Strip list={list} index={index} onGo={onGo} />}
      </div>
      {details && !screen.on && read.data && (
        <Suspense fallback={<Busy label={t.loading} />}>
          <Panel key={gaid} asset={read.data} onSimilar={toSimilar} />
        </Suspense>
      )}
      {triage.dialogs}
    </div>
  )
}
