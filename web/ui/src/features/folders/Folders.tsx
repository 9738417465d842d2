import { Folder as FolderIcon, FolderX, RefreshCw } from 'lucide-react'
import { useNavigate } from 'react-router'
import { ApiError } from '~/api/client'
import { IconButton } from '~/components/button/Button'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { TreeView } from '~/components/tree/TreeView'
import { useUser } from '~/features/session/session'
import { useFormat, useTexts } from '~/text/context'
import css from './Folders.module.css'
import { type Folder, inFolder, type Root, useFolderTree, useRoots, useScan } from './queries'
import { texts } from './texts'

/** The external libraries: their states, and their folders. */
export function Folders() {
  const t = useTexts(texts)
  const roots = useRoots()
  if (roots.error) return <Notice kind="danger">{roots.error.message}</Notice>
  if (!roots.data) return null
  if (roots.data.length === 0) {
    return (
      <Empty icon={<FolderIcon />} title={t.folders}>
        <p>{t.none}</p>
      </Empty>
    )
  }
  return (
    <>
      <ul className={css.roots} aria-label={t.state}>
        {roots.data.map(r => (
          <RootLine key={r.id} root={r} />
        ))}
      </ul>
      <FolderTree />
    </>
  )
}

/** The state of an external library. */
function RootLine({ root: r }: { root: Root }) {
  const t = useTexts(texts)
  const format = useFormat()
  const user = useUser()
  const scan = useScan()
  const isOffline = r.state === 'offline'
  const run = async () => {
    try {
      await scan.mutateAsync(r.id)
      toast({ text: t.scanning })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  const facts = [
    format.plural(r.files, t.one, t.other),
    r.missing > 0 && t.missing(format.number(r.missing), r.missing === 1),
    r.being_ingested > 0 && t.ingesting(format.number(r.being_ingested), r.being_ingested === 1),
    r.problems > 0 && t.problems(format.number(r.problems), r.problems === 1),
    r.last_scan_at ? t.scanned(format.time(r.last_scan_at)) : t.neverScanned,
  ]
  return (
    <li className={isOffline ? `${css.root} ${css.away}` : css.root}>
      {isOffline ? <FolderX aria-hidden /> : <FolderIcon aria-hidden />}
      <div className={css.about}>
        <p>
          <strong>{r.name}</strong>
          {isOffline && <span className={css.state}>{t.offline}</span>}
          {r.path && <span className={css.path}>{r.path}</span>}
        </p>
        <p className={css.soft}>{facts.filter(Boolean).join(' · ')}</p>
        {(isOffline || r.note) && (
          <p className={css.soft}>
            {isOffline && t.offlineHelp} {r.note}
          </p>
        )}
      </div>
      {user.role === 'admin' && (
        <IconButton label={`${t.scan}: ${r.name}`} onPress={() => void run()} isDisabled={scan.isPending}>
          <RefreshCw />
        </IconButton>
      )}
    </li>
  )
}

/** The tree; opening a folder shows its assets in the library. */
function FolderTree() {
  const t = useTexts(texts)
  const navigate = useNavigate()
  const tree = useFolderTree()
  return (
    <div className={css.tree}>
      {tree.error && <Notice kind="danger">{tree.error.message}</Notice>}
      <TreeView
        label={t.folders}
        tree={tree}
        onAction={id => void navigate(inFolder(decodeURIComponent(id)))}
        lead={f => <span className={css.icon}>{f.state === 'offline' ? <FolderX /> : <FolderIcon />}</span>}
        trail={f => <Trail folder={f} />}
        isFaint={f => f.state === 'offline'}
        empty={t.empty}
      />
    </div>
  )
}

function Trail({ folder: f }: { folder: Folder }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <span className={css.count}>
      {f.state === 'offline' && <span className={css.state}>{t.offline}</span>}
      <span aria-hidden>{format.number(f.assets_count)}</span>
      <span className="visually-hidden">{format.plural(f.assets_count, t.one, t.other)}</span>
    </span>
  )
}
