import { type ReactNode, useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { Button } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { SelectionProvider } from '~/features/selection/context'
import type { Selection, Snapshot } from '~/features/selection/selection'
import { useFormat, useTexts } from '~/text/context'
import css from './Browser.module.css'
import { Grid, type ViewProps } from './Grid'
import { type LoadedList, useAssetList } from './list'
import { usePlace } from './place'
import { type AssetSource, queryText } from './query'
import { Selected } from './Selected'
import { Table } from './Table'
import { texts } from './texts'
import { useView } from './view'

interface BrowserProps {
  /** The page's heading, for screen readers. */
  heading?: string
  source: AssetSource
  /** The URL of the list's page, to which assets/GAID is appended. */
  path: string
  /** The asset open above the list. */
  open: string | undefined
  empty: ReactNode
  /** The toolbar above the list. */
  bar: (list: LoadedList) => ReactNode
  /** The panel beside the list, such as filters. */
  side?: ReactNode
  viewer: (props: OpenProps) => ReactNode
}

/** The props of the viewer for the open asset. */
export interface OpenProps {
  gaid: string
  /** The list from which it was opened, and the asset's index in it, if known. */
  list: LoadedList | undefined
  index: number | null
  /** Opens another asset instead. */
  onGo: (gaid: string) => void
  onClose: () => void
}

/** Identifies the content of a list, regardless of its order. */
function contentOf({ place, query }: AssetSource): string {
  return JSON.stringify([place, query.q, query.meaning, query.filters])
}

/** A list of assets with its selection and the asset open above it. */
export function Browser({ heading, source, path, open, empty, bar, side, viewer }: BrowserProps) {
  const t = useTexts(texts)
  const navigate = useNavigate()
  const location = useLocation()
  const [view] = useView()
  const place = usePlace(JSON.stringify(source), open)
  const { list, error, retry } = useAssetList(source, () => place.current.gaid)
  const search = queryText({ ...source.query, view: new URLSearchParams(location.search).get('view') })
  const href = useCallback(
    (gaid: string) => `${path === '/' ? '' : path}/assets/${gaid}${search}`,
    [path, search],
  )
  const onOpen = useCallback(
    (gaid: string) => void navigate(href(gaid), { state: { fromList: true } }),
    [href, navigate],
  )
  const index = useMemo(() => (open && list ? list.indexOf(open) : null), [open, list])

  // Synchronously, so that the second of two quick steps starts from the first one's result.
  const go = (gaid: string) =>
    void navigate(href(gaid), { replace: true, state: location.state, flushSync: true })
  const close = () => {
    if ((location.state as { fromList?: boolean } | null)?.fromList) void navigate(-1)
    else void navigate(path + search, { replace: true })
  }
  const props = { open, href, onOpen }
  return (
    <SelectionProvider list={contentOf(source)} onCleared={useCleared()}>
      <div className={css.browser}>
        {heading && <h1 className="visually-hidden">{heading}</h1>}
        {error && (
          <Notice kind="danger">
            {error.message || t.away} {!list && <Button onPress={retry}>{t.retry}</Button>}
          </Notice>
        )}
        {!list && !error && <Busy label={t.loading} />}
        {list && bar(list)}
        <div className={css.beside}>
          {side}
          {list && list.total === 0 && empty}
          {list && list.total > 0 && (
            <Selected list={list} place={place}>
              {(shown, at) => <Assets view={view} list={shown} place={at} {...props} />}
            </Selected>
          )}
        </div>
      </div>
      {open && viewer({ gaid: open, list, index, onGo: go, onClose: close })}
    </SelectionProvider>
  )
}

function Assets({ view, ...props }: ViewProps & { view: 'grid' | 'table' }) {
  return view === 'table' ? <Table {...props} /> : <Grid {...props} />
}

/** Another list starts without a selection; the previous selection can be restored. */
function useCleared() {
  const t = useTexts(texts)
  const format = useFormat()
  return useCallback(
    (selection: Selection, before: Snapshot) => {
      if (before.all) return
      toast({
        text: t.cleared(format.number(before.named.size)),
        action: { label: t.undo, run: () => selection.restore(before) },
      })
    },
    [t, format],
  )
}
