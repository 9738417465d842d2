import { useQueryClient } from '@tanstack/react-query'
import { EllipsisVertical, File } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '~/components/button/Button'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import type { ReadAsset } from '~/features/assets/asset'
import { blurred, local } from '~/features/assets/Thumbnail'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import { CompareDialog } from './CompareDialog'
import { NewVersion } from './NewVersion'
import { Part } from './Row'
import { VersionFacts } from './VersionFacts'
import css from './Versions.module.css'
import { deleteVersion, restoreVersion, useVersions, type Version } from './versionQueries'
import { texts } from './versionTexts'

type Asked = { what: 'compare' | 'restore' | 'remove'; version: Version }

/** The versions of an asset: download, compare, restore, and add. */
export function Versions({ asset }: { asset: ReadAsset }) {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const client = useQueryClient()
  const versions = useVersions(asset)
  const [asked, setAsked] = useState<Asked | null>(null)
  const mayWrite = can('assets:write') && !asset.deleted_at
  const list = versions.data?.pages.flatMap(p => p.data) ?? []
  const close = () => setAsked(null)
  const number = asked ? format.number(asked.version.version) : ''
  return (
    <Part title={t.versions}>
      {mayWrite && asset.root_id === null && <NewVersion gaid={asset.gaid} />}
      {versions.error ? (
        <Notice kind="danger">{versions.error.message}</Notice>
      ) : (
        !versions.data && <Busy label={t.loading} />
      )}
      <ul className={css.list}>
        {list.map(v => (
          <VersionItem
            key={v.version}
            version={v}
            onAsk={what => setAsked({ what, version: v })}
            mayRestore={mayWrite && !v.is_current}
            mayRemove={can('assets:delete') && !asset.deleted_at && !v.is_current}
            mayCompare={list.length > 1 && v.urls.preview !== null}
          />
        ))}
      </ul>
      {versions.hasNextPage && (
        <Button isPending={versions.isFetchingNextPage} onPress={() => void versions.fetchNextPage()}>
          {t.older}
        </Button>
      )}
      {asked?.what === 'compare' && (
        <CompareDialog versions={list} start={asked.version.version} onClose={close} />
      )}
      {asked?.what === 'restore' && (
        <ConfirmDialog
          title={t.restoreTitle(number)}
          action={t.restoreNow}
          onClose={close}
          onConfirm={async () => {
            await restoreVersion(client, asset.gaid, asked.version.version)
            toast({ text: t.restored(number) })
          }}
        >
          <p>{t.restoreHelp}</p>
        </ConfirmDialog>
      )}
      {asked?.what === 'remove' && (
        <ConfirmDialog
          title={t.removeTitle(number)}
          action={t.removeNow}
          onClose={close}
          onConfirm={async () => {
            await deleteVersion(client, asset.gaid, asked.version.version)
            toast({ text: t.removed(number) })
          }}
        >
          <p>{t.removeHelp}</p>
        </ConfirmDialog>
      )}
    </Part>
  )
}

interface ItemProps {
  version: Version
  onAsk: (what: Asked['what']) => void
  mayRestore: boolean
  mayRemove: boolean
  mayCompare: boolean
}

function VersionItem({ version: v, onAsk, mayRestore, mayRemove, mayCompare }: ItemProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const mayGet = can('assets:download')
  const number = format.number(v.version)
  const soon = blurred(v.thumbhash)
  return (
    <li className={css.item}>
      <div className={css.thumbnail} aria-hidden>
        {!v.urls.thumbnail && <File />}
        {soon && <img src={soon} alt="" />}
        {v.urls.thumbnail && mayGet && <img src={local(v.urls.thumbnail)} alt="" loading="lazy" />}
      </div>
      <div className={css.what}>
        <span>
          <strong>{t.version(number)}</strong>
          {v.is_current && <span className={css.mark}>{t.current}</span>}
        </span>
        <span>{v.filename}</span>
        <VersionFacts version={v} />
      </div>
      {(mayGet || mayCompare || mayRestore || mayRemove) && (
        <Menu
          label={t.actionsOf(number)}
          button={
            <IconButton label={t.actionsOf(number)}>
              <EllipsisVertical />
            </IconButton>
          }
        >
          {mayGet && (
            <MenuItem href={local(v.urls.original)} download>
              {t.download}
            </MenuItem>
          )}
          {mayGet && mayCompare && <MenuItem onAction={() => onAsk('compare')}>{t.compare}</MenuItem>}
          {mayRestore && <MenuItem onAction={() => onAsk('restore')}>{t.restore}</MenuItem>}
          {mayRemove && (
            <MenuItem danger onAction={() => onAsk('remove')}>
              {t.remove}
            </MenuItem>
          )}
        </Menu>
      )}
    </li>
  )
}
