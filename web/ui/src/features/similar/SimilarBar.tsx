import type { ReactNode } from 'react'
import { ListBar } from '~/features/assets/ListBar'
import type { LoadedList } from '~/features/assets/list'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import css from './SimilarBar.module.css'
import { texts } from './texts'

/** The toolbar above similar assets: their number, or the actions for the selected ones. */
export function SimilarBar({ list, actions }: { list: LoadedList; actions: ReactNode }) {
  const t = useTexts(texts)
  const format = useFormat()
  const selection = useSelection()
  if (!selection.isEmpty) return <ListBar list={list} actions={actions} />
  if (list.total === 0) return null
  return (
    <p className={css.count} role="status">
      {format.plural(list.total, t.one, t.other)}
    </p>
  )
}
