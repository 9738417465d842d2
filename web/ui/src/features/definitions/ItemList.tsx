import { MoreVertical, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '~/components/button/Button'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { useTexts } from '~/text/context'
import css from './Definitions.module.css'
import type { Named } from './definitions'
import { texts } from './texts'

interface ItemListProps<T> {
  items: readonly T[] | undefined
  words: { create: string; change: string; none: string }
  about?: (item: T) => ReactNode
  /** Creates an item, for null, or changes one. */
  onPut: (item: T | null) => void
  onRemove: (item: T) => void
}

/** A list of named items with a menu each, and a button to add one. */
export function ItemList<T extends Named>({ items, words, about, onPut, onRemove }: ItemListProps<T>) {
  const t = useTexts(texts)
  return (
    <>
      {items?.length === 0 && <p className={css.help}>{words.none}</p>}
      <ul className={css.list}>
        {items?.map(item => (
          <li key={item.id} className={css.item}>
            <span className={css.words}>
              <span className={css.name}>{item.name}</span>
              {about && <span className={css.about}>{about(item)}</span>}
            </span>
            <Menu
              label={t.actionsOf(item.name)}
              button={
                <IconButton label={t.actionsOf(item.name)}>
                  <MoreVertical />
                </IconButton>
              }
            >
              <MenuItem onAction={() => onPut(item)}>{words.change}</MenuItem>
              <MenuItem danger onAction={() => onRemove(item)}>
                {t.removeQuestion}
              </MenuItem>
            </Menu>
          </li>
        ))}
      </ul>
      <div>
        <Button onPress={() => onPut(null)}>
          <Plus /> {words.create}
        </Button>
      </div>
    </>
  )
}
