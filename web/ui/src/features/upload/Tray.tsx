import { lazy, Suspense } from 'react'
import { useUploads } from './context'
import { useTitleProgress } from './progress'

const Panel = lazy(() => import('./TrayPanel'))

/** The uploads, visible on all pages once there are some. */
export function Tray() {
  const uploads = useUploads()
  useTitleProgress(uploads.counts)
  if (uploads.counts.total === 0) return null
  return (
    <Suspense>
      <Panel />
    </Suspense>
  )
}
