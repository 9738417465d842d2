import {
  ArrowLeft,
  CodeXml,
  FolderPlus,
  GalleryHorizontal,
  Info,
  Keyboard,
  Link2,
  Maximize,
  Minimize,
  MoreVertical,
  Share2,
  SkipForward,
  Sparkles,
  Tags,
  Trash2,
  ZoomIn,
} from 'lucide-react'
import { useState } from 'react'
import { mounted } from '~/api/mount'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem, MenuLine } from '~/components/menu/Menu'
import { toast } from '~/components/toast/Toast'
import { showKeys } from '~/features/keys/KeysHelp'
import { useCan } from '~/features/session/rights'
import { EmbedDialog } from '~/features/shares/EmbedDialog'
import { NewShare } from '~/features/shares/NewShare'
import { useMayShare } from '~/features/shares/shares'
import { texts as shareTexts } from '~/features/shares/texts'
import { useFormat, useTexts } from '~/text/context'
import { Banner } from './Banner'
import css from './Bar.module.css'
import { DownloadMenu } from './DownloadMenu'
import { canEnlarge, viewOf } from './kinds'
import type { Shown } from './shown'
import { texts } from './texts'

interface BarProps {
  asset: Shown | undefined
  /** It is still loading. */
  isPending: boolean
  place: { index: number; total: number } | null
  details: boolean
  strip: boolean
  advances: boolean
  hasList: boolean
  isFull: boolean
  onDetails: () => void
  onStrip: () => void
  onAdvance: () => void
  onFull: () => void
  onZoom: () => void
  onSimilar: () => void
  onAsk: (what: 'keywords' | 'collection') => void
  onTrash: () => void
  onClose: () => void
}

/** The toolbar for the displayed asset. */
export function Bar(props: BarProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const { asset, place } = props
  const trashed = Boolean(asset?.deleted_at)
  return (
    <header className={css.head}>
      <div className={css.bar} role="toolbar" aria-label={t.actions}>
        <IconButton label={t.close} onPress={props.onClose}>
          <ArrowLeft />
        </IconButton>
        <div className={css.name}>
          <h1 className={css.title}>{asset?.title ?? (props.isPending ? t.loading : t.unreadable)}</h1>
          {place && (
            <span className={css.place}>
              {t.of(format.number(place.index + 1), format.number(place.total))}
            </span>
          )}
        </div>
        {asset && canEnlarge(viewOf(asset)) && (
          <IconButton label={t.actual} className={css.wide} onPress={props.onZoom}>
            <ZoomIn />
          </IconButton>
        )}
        {props.hasList && (
          <IconButton label={t.strip} className={css.wide} aria-pressed={props.strip} onPress={props.onStrip}>
            <GalleryHorizontal />
          </IconButton>
        )}
        <IconButton label={props.isFull ? t.leaveFull : t.full} className={css.wide} onPress={props.onFull}>
          {props.isFull ? <Minimize /> : <Maximize />}
        </IconButton>
        {asset && can('assets:download') && <DownloadMenu asset={asset} />}
        {asset && !trashed && can('assets:delete') && (
          <IconButton label={t.toTrash} onPress={props.onTrash}>
            <Trash2 />
          </IconButton>
        )}
        {asset && <More {...props} asset={asset} />}
        <IconButton label={t.details} aria-pressed={props.details} onPress={props.onDetails}>
          <Info />
        </IconButton>
      </div>
      {asset && <Banner asset={asset} />}
    </header>
  )
}

function More(props: BarProps & { asset: Shown }) {
  const t = useTexts(texts)
  const ts = useTexts(shareTexts)
  const can = useCan()
  const mayShare = useMayShare()
  const [sharing, setSharing] = useState(false)
  const [embedding, setEmbedding] = useState(false)
  const { asset } = props
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(window.location.origin + mounted(`/assets/${asset.gaid}`))
      toast({ text: t.linkCopied })
    } catch {
      toast({ text: t.cannotCopy })
    }
  }
  const trashed = asset.deleted_at !== null
  return (
    <>
      <Menu
        label={t.more}
        button={
          <IconButton label={t.more}>
            <MoreVertical />
          </IconButton>
        }
      >
        <MenuItem icon={<Link2 />} onAction={() => void copyLink()}>
          {t.copyLink}
        </MenuItem>
        {!trashed && mayShare && (
          <MenuItem icon={<Share2 />} onAction={() => setSharing(true)}>
            {ts.shareMore}
          </MenuItem>
        )}
        {!trashed && mayShare && asset.file_category === 'Video' && (
          <MenuItem icon={<CodeXml />} onAction={() => setEmbedding(true)}>
            {ts.embedMore}
          </MenuItem>
        )}
        {!trashed && (
          <MenuItem icon={<Sparkles />} keys="M" onAction={props.onSimilar}>
            {t.similar}
          </MenuItem>
        )}
        {!trashed && can('assets:write') && (
          <MenuItem icon={<Tags />} keys="K" onAction={() => props.onAsk('keywords')}>
            {t.addKeywords}
          </MenuItem>
        )}
        {!trashed && can('collections:write') && (
          <MenuItem icon={<FolderPlus />} keys="C" onAction={() => props.onAsk('collection')}>
            {t.addToCollection}
          </MenuItem>
        )}
        <MenuLine />
        {props.hasList && (
          <MenuItem icon={<GalleryHorizontal />} keys="S" onAction={props.onStrip}>
            {props.strip ? t.hideStrip : t.showStrip}
          </MenuItem>
        )}
        <MenuItem icon={<Maximize />} keys="F" onAction={props.onFull}>
          {props.isFull ? t.leaveFull : t.full}
        </MenuItem>
        {props.hasList && can('assets:write') && (
          <MenuItem icon={<SkipForward />} onAction={props.onAdvance}>
            {props.advances ? t.stay : t.advance}
          </MenuItem>
        )}
        <MenuItem icon={<Keyboard />} keys="?" onAction={showKeys}>
          {t.keys}
        </MenuItem>
      </Menu>
      {embedding && <EmbedDialog gaid={asset.gaid} title={asset.title} onClose={() => setEmbedding(false)} />}
      {sharing && (
        <NewShare
          shown={{
            title: ts.shareNamed(asset.title),
            name: asset.title,
            what: async () => ({ gaids: [asset.gaid] }),
          }}
          onClose={() => setSharing(false)}
        />
      )}
    </>
  )
}
