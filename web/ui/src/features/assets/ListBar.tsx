import { ArrowDownUp, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import css from './Browser.module.css'
import type { LoadedList } from './list'
import { texts } from './texts'

const sorts = ['created_at', 'updated_at', 'title', 'original_filename', 'size'] as const

/** What is above a list: how many there are and their order, or what can be done with those selected. */
export function ListBar({
  list,
  actions,
  tools,
}: {
  list: LoadedList
  actions: ReactNode
  tools?: ReactNode
}) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  const [params, setParams] = useSearchParams()
  const selected = selection.count(list.total)
  if (selected > 0) {
    return (
      <div className={css.bar} role="toolbar" aria-label={t.selected(format.number(selected))}>
        <IconButton label={t.clear} onPress={() => selection.clear()}>
          <X />
        </IconButton>
        <span role="status">{t.selected(format.number(selected))}</span>
        <div className={css.end}>{actions}</div>
      </div>
    )
  }
  return (
    <div className={css.bar}>
      <span className={css.count} role="status">
        {format.plural(list.total, t.one, t.other)}
      </span>
      <div className={css.end}>
        {tools}
        <Menu
          label={t.sort}
          button={
            <IconButton label={t.sort}>
              <ArrowDownUp />
            </IconButton>
          }
        >
          {sorts.map(s => (
            <MenuItem
              key={s}
              onAction={() => {
                params.set('sort_by', s)
                setParams(params, { replace: true })
              }}
            >
              {t[s]}
            </MenuItem>
          ))}
        </Menu>
      </div>
    </div>
  )
}
