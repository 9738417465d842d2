import { lazy, Suspense } from 'react'

const Lazy = lazy(() => import('./SettingsDialog'))

/** The settings of an upload. */
export function SettingsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Suspense>
      <Lazy onClose={onClose} />
    </Suspense>
  )
}
