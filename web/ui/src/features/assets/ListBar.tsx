import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '~/components/button/Button'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import css from './ListBar.module.css'
import type { LoadedList } from './list'
import { SortMenu } from './SortMenu'
import { texts } from './texts'
import { ViewSwitch } from './ViewSwitch'

interface ListBarProps {
  list: LoadedList
  /** Actions for the selected assets. */
  actions: ReactNode
  /** The reasons for the matches, beside their number. */
  reasons?: ReactNode
  tools?: ReactNode
}

/** The toolbar of a list: the number of assets and their order, or the actions for the selected ones. */
export function ListBar({ list, actions, reasons, tools }: ListBarProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  const selected = selection.count(list.total)
  const selecting = selected > 0 || selection.shown !== null
  return (
    <>
      <span className="visually-hidden" role="status">
        {selecting ? t.selected(format.number(selected)) : format.plural(list.total, t.one, t.other)}
      </span>
      {selecting ? (
        <SelectionBar list={list} selected={selected} actions={actions} />
      ) : (
        <div className={css.bar}>
          <span className={css.count}>{format.plural(list.total, t.one, t.other)}</span>
          {reasons}
          <div className={css.end}>
            {tools}
            <SortMenu source={list.source} />
            <ViewSwitch />
          </div>
        </div>
      )}
    </>
  )
}

const mostShown = 10_000 // maximum number of names that 'show selected' collects from a whole result

/** The number of selected assets, and the actions for them. */
function SelectionBar({
  list,
  selected,
  actions,
}: {
  list: LoadedList
  selected: number
  actions: ReactNode
}) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  const { shown, named, except } = selection
  const all = named === null && except.length === 0
  const show = async () => {
    if (named) return selection.show(named)
    const left = new Set(except)
    selection.show((await list.gaids(0, list.total - 1)).filter(g => !left.has(g)))
  }
  const canShow = !shown && !all && selected > 0 && (named !== null || list.total <= mostShown)
  return (
    <div className={css.selecting} role="toolbar" aria-label={t.selection}>
      <div className={css.what}>
        <IconButton label={t.clear} onPress={() => selection.clear()}>
          <X />
        </IconButton>
        <span className={css.number}>{t.selected(format.number(selected))}</span>
        {!all && !shown && (
          <Button look="quiet" onPress={() => selection.all()}>
            {t.selectAll(format.number(list.total))}
          </Button>
        )}
        {canShow && (
          <Button look="quiet" onPress={() => void show()}>
            {t.showSelected}
          </Button>
        )}
        {shown && (
          <Button look="quiet" onPress={() => selection.show(null)}>
            {t.showResult}
          </Button>
        )}
        <span className={css.besides}>
          <ViewSwitch />
        </span>
      </div>
      {selected > 0 && <div className={css.end}>{actions}</div>}
    </div>
  )
}
