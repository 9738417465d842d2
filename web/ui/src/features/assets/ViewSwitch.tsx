import { LayoutGrid, Table2 } from 'lucide-react'
import { IconButton } from '~/components/button/Button'
import { useTexts } from '~/text/context'
import { texts } from './texts'
import { useView } from './view'

/** The switch between grid and table. */
export function ViewSwitch() {
  const t = useTexts(texts)
  const [view, choose] = useView()
  return view === 'grid' ? (
    <IconButton label={t.asTable} onPress={() => choose('table')}>
      <Table2 />
    </IconButton>
  ) : (
    <IconButton label={t.asGrid} onPress={() => choose('grid')}>
      <LayoutGrid />
    </IconButton>
  )
}
