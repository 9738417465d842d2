import type { LoadedList } from '~/features/assets/list'
import type { Selection } from '~/features/selection/selection'
import { useTexts } from '~/text/context'
import type { Preview } from './bulk'
import { texts } from './texts'

interface UnderstoodProps {
  list: LoadedList
  selection: Selection
  preview?: Preview
}

/** The search that selects the assets, as the server understood it; nothing for assets selected one by one. */
export function Understood({ list, selection, preview }: UnderstoodProps) {
  const t = useTexts(texts)
  const query = preview?.query?.readable ?? (selection.named ? undefined : list.understood)
  return query ? <p>{t.understood(query)}</p> : null
}
