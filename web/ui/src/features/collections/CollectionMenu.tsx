import { MoreVertical } from 'lucide-react'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem, MenuLine } from '~/components/menu/Menu'
import { useMayAsk } from '~/features/shares/handIn'
import { texts as handInTexts } from '~/features/shares/handInTexts'
import { useMayShare } from '~/features/shares/shares'
import { texts as shareTexts } from '~/features/shares/texts'
import { useTexts } from '~/text/context'
import type { Collection } from './collections'
import type { Doing } from './Dialogs'
import { useRights } from './rights'
import { texts } from './texts'

interface CollectionMenuProps {
  collection: Collection
  onDo: (doing: Doing) => void
  onRename?: () => void
  /** Moves it by one position among its siblings, if possible. */
  onShift?: { up: (() => void) | undefined; down: (() => void) | undefined } | undefined
  className?: string | undefined
}

/** The menu of a collection; nothing for users who can neither change nor share it. */
export function CollectionMenu({ collection, onDo, onRename, onShift, className }: CollectionMenuProps) {
  const t = useTexts(texts)
  const { mayChange, mayDelete } = useRights()
  const mayShare = useMayShare()
  const mayAsk = useMayAsk()
  const { shareMore } = useTexts(shareTexts)
  const { askMore } = useTexts(handInTexts)
  if (!mayChange && !mayDelete && !mayShare) return null
  const item = (what: Doing['what'], text: string) => (
    <MenuItem onAction={() => onDo({ what, collection })}>{text}</MenuItem>
  )
  return (
    <Menu
      label={t.actionsOf(collection.name)}
      button={
        <IconButton label={t.actionsOf(collection.name)} {...(className ? { className } : {})}>
          <MoreVertical />
        </IconButton>
      }
    >
      {mayChange && (
        <>
          {item('create', t.createInside)}
          {onRename && (
            <MenuItem onAction={onRename} keys="F2">
              {t.rename}
            </MenuItem>
          )}
          {onShift && (
            <>
              <MenuItem isDisabled={!onShift.up} {...(onShift.up && { onAction: onShift.up })}>
                {t.moveUp}
              </MenuItem>
              <MenuItem isDisabled={!onShift.down} {...(onShift.down && { onAction: onShift.down })}>
                {t.moveDown}
              </MenuItem>
            </>
          )}
          {item('move', t.move)}
          {item('edit', t.details)}
          {item('rules', collection.rules ? t.editRules : t.addRules)}
        </>
      )}
      {mayShare && item('share', shareMore)}
      {mayAsk && !collection.rules && item('ask', askMore)}
      {(mayChange || mayShare) && mayDelete && <MenuLine />}
      {mayDelete && (
        <MenuItem danger onAction={() => onDo({ what: 'remove', collection })}>
          {t.removeQuestion}
        </MenuItem>
      )}
    </Menu>
  )
}
