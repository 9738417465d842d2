import { lazy, Suspense } from 'react'
import type { Shown } from './ShareDialog'

const NewShareDialog = lazy(() => import('./ShareDialog'))

/** Creates a share and shows its link. */
export function NewShare(props: { shown: Shown; onClose: () => void }) {
  return (
    <Suspense>
      <NewShareDialog {...props} />
    </Suspense>
  )
}
