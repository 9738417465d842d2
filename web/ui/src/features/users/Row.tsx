import { Ellipsis } from 'lucide-react'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem, MenuLine } from '~/components/menu/Menu'
import { useUser } from '~/features/session/session'
import { useFormat, useTexts } from '~/text/context'
import type { User } from './queries'
import { texts } from './texts'
import css from './Users.module.css'

interface RowProps {
  user: User
  onEdit: () => void
  onLink: () => void
  onDisable: (yes: boolean) => void
}

/** One user in the list. */
export function Row({ user, onEdit, onLink, onDisable }: RowProps) {
  const t = useTexts(texts)
  const isMe = useUser().id === user.id
  const active = user.state !== 'disabled'
  return (
    <li className={active ? css.row : `${css.row} ${css.off}`}>
      <div className={css.who}>
        <strong>
          {user.name} {isMe && <span className={css.mark}>{t.you}</span>}
        </strong>
        <span>{user.email}</span>
      </div>
      <span className={css.role}>{t.roles[user.role]}</span>
      <State user={user} />
      <Menu
        label={t.actions(user.name)}
        button={
          <IconButton label={t.actions(user.name)}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem onAction={onEdit}>{t.edit}</MenuItem>
        {isMe && <MenuItem href="/account">{t.account}</MenuItem>}
        {!isMe && active && (
          <MenuItem onAction={onLink}>{user.state === 'invited' ? t.inviteAgain : t.reset}</MenuItem>
        )}
        {!isMe && <MenuLine />}
        {!isMe && (
          <MenuItem danger={active} onAction={() => onDisable(active)}>
            {active ? t.disable : t.enable}
          </MenuItem>
        )}
      </Menu>
    </li>
  )
}

/** The state of a user's account, and its last use. */
function State({ user }: { user: User }) {
  const t = useTexts(texts)
  const format = useFormat()
  const until = user.invitation_expires_at
  const over = until !== null && new Date(until) < new Date()
  const invitation = until && (over ? t.invitationOver : t.invitedUntil(format.day(until)))
  return (
    <div className={css.state}>
      {user.state !== 'active' && (
        <span className={user.state === 'disabled' ? `${css.mark} ${css.bad}` : css.mark}>
          {user.state === 'disabled' ? t.disabled : t.invited}
        </span>
      )}
      <span>
        {user.state === 'invited'
          ? invitation
          : user.last_seen_at
            ? t.seen(format.time(user.last_seen_at))
            : t.neverSeen}
      </span>
      {user.state === 'active' && invitation && !over && <span>{invitation}</span>}
    </div>
  )
}
