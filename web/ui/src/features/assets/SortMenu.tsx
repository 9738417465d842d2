import { ArrowDown, ArrowDownUp, ArrowUp } from 'lucide-react'
import { Button } from '~/components/button/Button'
import { Menu, MenuChoice, MenuLine } from '~/components/menu/Menu'
import { useTexts } from '~/text/context'
import css from './ListBar.module.css'
import type { AssetSource } from './query'
import { type Direction, type SortBy, sortsOf, useSort } from './sort'
import { texts } from './texts'

const dates: readonly SortBy[] = ['capture_date', 'created_at', 'updated_at']
const texted: readonly SortBy[] = ['title', 'original_filename']

/** The sort key and direction of a list. */
export function SortMenu({ source }: { source: AssetSource }) {
  const t = useTexts(texts)
  const { by, direction, choose } = useSort(source)
  const ways = dates.includes(by) ? t.byDate : texted.includes(by) ? t.byText : t.byNumber
  const name = t.sorts[by]
  return (
    <Menu
      label={t.sort}
      button={
        <Button look="quiet" aria-label={`${t.sort}: ${name}, ${ways[direction]}`}>
          <ArrowDownUp className={css.narrow} />
          <span className={css.wide}>{name}</span>
          {direction === 'asc' ? <ArrowUp className={css.wide} /> : <ArrowDown className={css.wide} />}
        </Button>
      }
    >
      <MenuChoice
        label={t.sort}
        choices={sortsOf(source).map(s => ({ id: s, text: t.sorts[s] }))}
        value={by}
        onChange={s => choose(s as SortBy)}
      />
      <MenuLine />
      <MenuChoice
        label={t.direction}
        choices={(['desc', 'asc'] as const).map(d => ({ id: d, text: ways[d] ?? d }))}
        value={direction}
        onChange={d => choose(by, d as Direction)}
      />
    </Menu>
  )
}
