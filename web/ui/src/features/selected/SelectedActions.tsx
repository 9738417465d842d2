import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { TrashButton } from '~/features/assets/TrashButton'
import { AddButton } from '~/features/collections/AddButton'
import { useSelection } from '~/features/selection/context'

/** What can be done with the selected assets of a list. */
export function SelectedActions({ list }: { list: LoadedList }) {
  const selection = useSelection()
  return (
    <>
      <AddButton gaids={() => selectedGaids(list, selection)} onAdded={() => selection.clear()} />
      <TrashButton list={list} />
    </>
  )
}
