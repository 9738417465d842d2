import { MoreVertical } from 'lucide-react'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem, MenuLine } from '~/components/menu/Menu'
import { useTexts } from '~/text/context'
import type { Term } from './definitions'
import type { TermDoing } from './TermDialogs'
import { texts } from './texts'

interface TermMenuProps {
  term: Term
  onDo: (doing: TermDoing) => void
  onActive: () => void
  onStep: (by: number) => void
}

/** The menu of a term. */
export function TermMenu({ term, onDo, onActive, onStep }: TermMenuProps) {
  const t = useTexts(texts)
  return (
    <Menu
      label={t.actionsOf(term.label)}
      button={
        <IconButton label={t.actionsOf(term.label)}>
          <MoreVertical />
        </IconButton>
      }
    >
      <MenuItem keys="F2" onAction={() => onDo({ what: 'edit', term })}>
        {t.edit}
      </MenuItem>
      <MenuItem onAction={() => onDo({ what: 'create', below: term })}>{t.newBelow}</MenuItem>
      <MenuItem onAction={() => onStep(-1)}>{t.up}</MenuItem>
      <MenuItem onAction={() => onStep(1)}>{t.down}</MenuItem>
      <MenuItem onAction={() => onDo({ what: 'move', term })}>{t.moveTo}</MenuItem>
      <MenuItem onAction={onActive}>{term.is_active ? t.deactivate : t.activate}</MenuItem>
      <MenuLine />
      <MenuItem danger onAction={() => onDo({ what: 'remove', term })}>
        {t.removeQuestion}
      </MenuItem>
    </Menu>
  )
}
