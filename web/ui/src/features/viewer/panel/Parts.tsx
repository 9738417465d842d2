import { useQueryClient } from '@tanstack/react-query'
import { EllipsisVertical } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api, data, type Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { Button, ButtonLink, IconButton } from '~/components/button/Button'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import type { ReadAsset } from '~/features/assets/asset'
import { useCan } from '~/features/session/rights'
import { textFor } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import { texts } from './partTexts'
import { Part } from './Row'
import css from './Versions.module.css'
import { showAnew } from './versionQueries'

type PartFile = Schemas['Part']
type Asked = { what: 'play' | 'detach' | 'remove'; part: PartFile }

const fileOf = (gaid: string, part: PartFile) => mounted(`/api/v1/assets/${gaid}/parts/${part.id}/download`)

/** The additional files of an asset. */
export function Parts({ asset }: { asset: ReadAsset }) {
  const t = useTexts(texts)
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<Asked | null>(null)
  const { gaid, parts } = asset
  const close = () => setAsked(null)
  const detach = async ({ id, filename }: PartFile) => {
    const params = { path: { gaid, part: id } }
    const made = await data(api.POST('/api/v1/assets/{gaid}/parts/{part}/detach', { params }))
    toast({
      text: t.detached(filename),
      action: { label: t.show, run: () => void navigate(`/assets/${made.data.gaid}`) },
    })
    await showAnew(client, gaid)
  }
  const remove = async ({ id, filename }: PartFile) => {
    const params = { path: { gaid, part: id } }
    await api.DELETE('/api/v1/assets/{gaid}/parts/{part}', { params })
    toast({ text: t.removed(filename) })
    await showAnew(client, gaid)
  }
  return (
    <>
      {parts.length > 0 && (
        <Part title={t.parts}>
          <ul className={css.list}>
            {parts.map(p => (
              <Item key={p.id} asset={asset} part={p} onAsk={what => setAsked({ what, part: p })} />
            ))}
          </ul>
        </Part>
      )}
      {asked?.what === 'play' && (
        <PlayDialog url={fileOf(gaid, asked.part)} name={asked.part.filename} onClose={close} />
      )}
      {asked?.what === 'detach' && (
        <ConfirmDialog
          title={t.detachTitle(asked.part.filename)}
          action={t.detachNow}
          onClose={close}
          onConfirm={() => detach(asked.part)}
        >
          <p>{t.detachHelp}</p>
        </ConfirmDialog>
      )}
      {asked?.what === 'remove' && (
        <ConfirmDialog
          title={t.removeTitle(asked.part.filename)}
          action={t.removeNow}
          onClose={close}
          onConfirm={() => remove(asked.part)}
        >
          <p>{t.removeHelp}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

interface ItemProps {
  asset: ReadAsset
  part: PartFile
  onAsk: (what: Asked['what']) => void
}

function Item({ asset, part, onAsk }: ItemProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const mayGet = can('assets:download')
  const mayDetach = can('assets:write') && !asset.deleted_at && part.role !== 'sidecar'
  const mayRemove = can('assets:delete') && !asset.deleted_at
  return (
    <li className={`${css.item} ${css.plain}`}>
      <div className={css.what}>
        <strong>{textFor(t.roles, part.role)}</strong>
        <span>{part.filename}</span>
        <span className={css.soft}>{format.size(part.file_size)}</span>
      </div>
      {(mayGet || mayDetach || mayRemove) && (
        <Menu
          label={t.actionsOf(part.filename)}
          button={
            <IconButton label={t.actionsOf(part.filename)}>
              <EllipsisVertical />
            </IconButton>
          }
        >
          {mayGet && part.role === 'video' && <MenuItem onAction={() => onAsk('play')}>{t.play}</MenuItem>}
          {mayGet && (
            <MenuItem href={fileOf(asset.gaid, part)} download>
              {t.download}
            </MenuItem>
          )}
          {mayDetach && <MenuItem onAction={() => onAsk('detach')}>{t.detach}</MenuItem>}
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

/** Plays the video of a live photo, or reports that the browser cannot. */
function PlayDialog({ url, name, onClose }: { url: string; name: string; onClose: () => void }) {
  const t = useTexts(texts)
  const [failed, setFailed] = useState(false)
  return (
    <Dialog title={name} isOpen wide onClose={onClose}>
      {failed ? (
        <Notice kind="danger">{t.cannotPlay}</Notice>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: it has none
        <video
          src={`${url}?inline=true`}
          className={css.video}
          aria-label={name}
          autoPlay
          controls
          playsInline
          onError={() => setFailed(true)}
        />
      )}
      <DialogButtons>
        <ButtonLink href={url} download>
          {t.download}
        </ButtonLink>
        <Button onPress={onClose}>{t.close}</Button>
      </DialogButtons>
    </Dialog>
  )
}
