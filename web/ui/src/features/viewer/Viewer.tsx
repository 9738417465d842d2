import { ChevronLeft, ChevronRight, Download, Info, Trash2, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { FocusScope } from 'react-aria'
import { ApiError } from '~/api/client'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { usePageTitle } from '~/components/title'
import { toast } from '~/components/toast/Toast'
import { useAsset, useTrash } from '~/features/assets/asset'
import type { OpenProps } from '~/features/assets/Browser'
import { local } from '~/features/assets/Thumbnail'
import { useTexts } from '~/text/context'
import { Panel } from './Panel'
import { Picture } from './Picture'
import { texts } from './texts'
import css from './Viewer.module.css'

/** One asset over the whole window, with what is known of it beside. */
export function Viewer({ gaid, list, index, onGo, onClose }: OpenProps) {
  const step = (by: number) => {
    const neighbour = index === null ? undefined : list?.at(index + by)?.gaid
    return neighbour ? () => onGo(neighbour) : undefined
  }
  const onNext = step(1)
  const onPrevious = step(-1)
  const t = useTexts(texts)
  const { data: asset, error } = useAsset(gaid)
  const [details, setDetails] = useState(() => window.innerWidth > 900)
  const { trash, restore } = useTrash()
  usePageTitle(asset?.title ?? '')

  const toTrash = async () => {
    ;(onNext ?? onPrevious ?? onClose)()
    try {
      await trash([gaid])
      toast({ text: t.trashed, action: { label: t.undo, run: () => void restore([gaid]) } })
    } catch (e) {
      if (e instanceof ApiError) toast({ text: e.message })
      else throw e
    }
  }

  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const typing = e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)
      if (typing || e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return
      const actions: Record<string, (() => void) | undefined> = {
        ArrowRight: onNext,
        ArrowLeft: onPrevious,
        Escape: onClose,
        i: () => setDetails(d => !d),
      }
      const action = actions[e.key]
      if (!action) return
      e.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [onNext, onPrevious, onClose])

  return (
    <FocusScope contain restoreFocus autoFocus>
      <section className={css.viewer} aria-label={asset?.title ?? t.loading}>
        <div className={css.stage}>
          <div className={css.bar}>
            <IconButton label={t.close} onPress={onClose}>
              <X />
            </IconButton>
            <h1 className={css.title}>{asset?.title}</h1>
            {asset && (
              <Menu
                label={t.download}
                button={
                  <IconButton label={t.download}>
                    <Download />
                  </IconButton>
                }
              >
                <MenuItem href={local(asset.urls.original)} target="_self" download>
                  {t.original}
                </MenuItem>
                {asset.urls.preview && <MenuItem href={local(asset.urls.preview)}>{t.preview}</MenuItem>}
                {asset.urls.thumbnail && (
                  <MenuItem href={local(asset.urls.thumbnail)}>{t.thumbnail}</MenuItem>
                )}
              </Menu>
            )}
            <IconButton label={t.toTrash} onPress={() => void toTrash()}>
              <Trash2 />
            </IconButton>
            <IconButton label={t.details} aria-pressed={details} onPress={() => setDetails(!details)}>
              <Info />
            </IconButton>
          </div>
          {error ? (
            <Notice kind="danger">
              {error instanceof ApiError && error.status === 404 ? t.gone : error.message}
            </Notice>
          ) : asset ? (
            <Picture key={asset.gaid} asset={asset} />
          ) : (
            <Busy label={t.loading} />
          )}
          {onPrevious && (
            <IconButton label={t.previous} className={css.previous} onPress={onPrevious}>
              <ChevronLeft />
            </IconButton>
          )}
          {onNext && (
            <IconButton label={t.next} className={css.next} onPress={onNext}>
              <ChevronRight />
            </IconButton>
          )}
        </div>
        {details && asset && <Panel key={asset.gaid} asset={asset} />}
      </section>
    </FocusScope>
  )
}
