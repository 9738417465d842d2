import { Copy, ExternalLink, MoreVertical, Pencil, Unlink } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { IconButton } from '~/components/button/Button'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Menu, MenuItem, MenuLine } from '~/components/menu/Menu'
import { toast } from '~/components/toast/Toast'
import { local } from '~/features/assets/Thumbnail'
import { useUser } from '~/features/session/session'
import { useTexts } from '~/text/context'
import { EmbedDialog } from './EmbedDialog'
import { LinkDialog } from './LinkDialog'
import { EditShareDialog } from './ShareDialog'
import { type Share, stateOf, useChangeShares } from './shares'
import { texts } from './texts'

/** The menu of a share; nothing for revoked ones. */
export function ShareMenu({ share }: { share: Share }): ReactNode {
  const t = useTexts(texts)
  const { revoke } = useChangeShares()
  const [doing, setDoing] = useState<'edit' | 'link' | 'revoke' | null>(null)
  const close = () => setDoing(null)
  const isPlayer = share.type === 'embed'
  const [video] = share.gaids
  const isMine = useUser().id === share.created_by?.id
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(share.url)
      toast({ text: t.copied })
    } catch {
      setDoing('link') // browsers offer the clipboard API only on encrypted connections
    }
  }
  if (share.revoked_at) return null
  return (
    <>
      <Menu
        label={t.actionsOf(share.name)}
        button={
          <IconButton label={t.actionsOf(share.name)}>
            <MoreVertical />
          </IconButton>
        }
      >
        <MenuItem icon={<Copy />} onAction={() => void copy()}>
          {t.copyLink}
        </MenuItem>
        {stateOf(share) === 'active' && (
          <MenuItem icon={<ExternalLink />} href={local(share.url)} target="_blank">
            {isPlayer ? t.openPlayer : t.openAsGuest}
          </MenuItem>
        )}
        {(!isPlayer || (isMine && video && stateOf(share) === 'active')) && (
          <MenuItem icon={<Pencil />} onAction={() => setDoing('edit')}>
            {t.edit}
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem icon={<Unlink />} danger onAction={() => setDoing('revoke')}>
          {t.revokeMore}
        </MenuItem>
      </Menu>
      {doing === 'edit' && !isPlayer && <EditShareDialog share={share} onClose={close} />}
      {doing === 'edit' && isPlayer && video && (
        <EmbedDialog gaid={video} title={share.name} onClose={close} />
      )}
      {doing === 'link' && <LinkDialog share={share} onClose={close} />}
      {doing === 'revoke' && (
        <ConfirmDialog
          title={t.revokeNamed(share.name)}
          action={t.revoke}
          onClose={close}
          onConfirm={async () => {
            await revoke.mutateAsync(share.id)
            toast({ text: t.revoked(share.name) })
          }}
        >
          <p>{isPlayer ? t.embedRevokeHelp : t.revokeHelp}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
