import { type ReactNode, useCallback, useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { SelectionProvider } from '~/features/selection/context'
import { useTexts } from '~/text/context'
import css from './Browser.module.css'
import { Grid } from './Grid'
import { type LoadedList, useAssetList } from './list'
import { type AssetSource, queryText } from './query'
import { texts } from './texts'

interface BrowserProps {
  /** The page's heading, for those who do not see the list. */
  heading?: string
  source: AssetSource
  /** The address of the list's page, to which assets/GAID is added. */
  path: string
  /** The asset that is open over the list. */
  open: string | undefined
  empty: ReactNode
  /** What is above the list, given it. */
  bar: (list: LoadedList) => ReactNode
  /** What is beside the list, such as filters. */
  side?: ReactNode
  viewer: (props: OpenProps) => ReactNode
}

/** What shows the asset that is open. */
export interface OpenProps {
  gaid: string
  /** The list that it was opened from, and its place there, as far as they are known. */
  list: LoadedList | undefined
  index: number | null
  /** Opens another one in its place. */
  onGo: (gaid: string) => void
  onClose: () => void
}

/** A list of assets with its selection, and the one that is open over it. */
export function Browser({ heading, source, path, open, empty, bar, side, viewer }: BrowserProps) {
  const t = useTexts(texts)
  const navigate = useNavigate()
  const location = useLocation()
  const { list, error } = useAssetList(source)
  const search = queryText(source.query)
  const href = useCallback(
    (gaid: string) => `${path === '/' ? '' : path}/assets/${gaid}${search}`,
    [path, search],
  )
  const onOpen = useCallback(
    (gaid: string) => void navigate(href(gaid), { state: { fromList: true } }),
    [href, navigate],
  )
  const index = useMemo(() => (open && list ? list.indexOf(open) : null), [open, list])

  const go = (gaid: string) => void navigate(href(gaid), { replace: true, state: location.state })
  const close = () => {
    if ((location.state as { fromList?: boolean } | null)?.fromList) void navigate(-1)
    else void navigate(path + search, { replace: true })
  }
  return (
    <SelectionProvider list={JSON.stringify(source)}>
      <div className={css.browser}>
        {heading && <h1 className="visually-hidden">{heading}</h1>}
        {error && <Notice kind="danger">{error.message}</Notice>}
        {!list && !error && <Busy label={t.loading} />}
        {list && bar(list)}
        <div className={css.beside}>
          {side}
          {list && (list.total === 0 ? empty : <Grid list={list} href={href} onOpen={onOpen} />)}
        </div>
      </div>
      {open && viewer({ gaid: open, list, index, onGo: go, onClose: close })}
    </SelectionProvider>
  )
}
