import { PanelLeft } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { Outlet, useParams } from 'react-router'
import { Button } from '~/components/button/Button'
import { Drawer } from '~/components/drawer/Drawer'
import { TreePanel } from '~/features/collections/TreePanel'
import { texts } from '~/features/collections/texts'
import { useTexts } from '~/text/context'
import css from './CollectionsLayout.module.css'

const narrow = window.matchMedia('(max-width: 60rem)')
const onNarrow = (fn: () => void) => {
  narrow.addEventListener('change', fn)
  return () => narrow.removeEventListener('change', fn)
}

/** The tree of collections beside the open one; in a drawer if there is no room. */
export default function CollectionsLayout() {
  const t = useTexts(texts)
  const { collection } = useParams()
  const [isOpen, setOpen] = useState(false)
  const isNarrow = useSyncExternalStore(onNarrow, () => narrow.matches)
  const shown = collection === undefined ? undefined : Number(collection)
  if (isNarrow) {
    return (
      <div className={css.narrow}>
        <div className={css.bar}>
          <Button look="quiet" onPress={() => setOpen(true)}>
            <PanelLeft /> {t.tree}
          </Button>
        </div>
        <Outlet />
        <Drawer title={t.collections} isOpen={isOpen} onClose={() => setOpen(false)}>
          <TreePanel shown={shown} onOpened={() => setOpen(false)} />
        </Drawer>
      </div>
    )
  }
  return (
    <div className={css.wide}>
      <nav className={css.side} aria-label={t.tree}>
        <TreePanel shown={shown} />
      </nav>
      <div className={css.page}>
        <Outlet />
      </div>
    </div>
  )
}
