import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import { useLive } from '~/api/live'
import { useSession } from '~/features/session/session'
import { Uploads } from './uploads'

const Context = createContext<Uploads | null>(null)

export function UploadProvider({ children }: { children: ReactNode }) {
  const { user } = useSession()
  const [uploads] = useState(() => new Uploads(user.id))
  useLive('batch_file', e => uploads.saw(e))
  useLive('batch', e => {
    if (e.status !== 'open' && e.status !== 'processing') void uploads.look(e.id)
  })
  useLive('reset', e => {
    if (e.types.includes('batch_file')) void uploads.look()
  })
  useEffect(() => {
    void uploads.restore()
    return () => uploads.pause()
  }, [uploads])
  useEffect(() => {
    // Warns users who leave while uploads are pending.
    const onLeave = (e: BeforeUnloadEvent) => {
      if (uploads.counts.here > uploads.counts.missing) e.preventDefault()
    }
    window.addEventListener('beforeunload', onLeave)
    return () => window.removeEventListener('beforeunload', onLeave)
  }, [uploads])
  return <Context value={uploads}>{children}</Context>
}

/** The uploads; renders again when they change. */
export function useUploads(): Uploads {
  const uploads = useAddFiles()
  useSyncExternalStore(uploads.subscribe, uploads.version)
  return uploads
}

/** The uploads, for adding files without subscribing to changes. */
export function useAddFiles(): Uploads {
  const uploads = use(Context)
  if (!uploads) throw new Error('no uploads here')
  return uploads
}

/** Whether the user may upload. */
export function useMayUpload(): boolean {
  return useSession().abilities.includes('uploads:manage')
}
