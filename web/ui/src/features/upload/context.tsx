import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import { Uploads } from './uploads'

const Context = createContext<Uploads | null>(null)

export function UploadProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [uploads] = useState(() => new Uploads(() => void client.invalidateQueries({ queryKey: ['assets'] })))
  useEffect(() => {
    // Whoever leaves while files are on their way is asked.
    const onLeave = (e: BeforeUnloadEvent) => {
      if (uploads.list.some(u => u.state === 'waiting' || u.state === 'sending')) e.preventDefault()
    }
    window.addEventListener('beforeunload', onLeave)
    return () => window.removeEventListener('beforeunload', onLeave)
  }, [uploads])
  return <Context value={uploads}>{children}</Context>
}

/** The uploads; renders again when they change. */
export function useUploads(): Uploads {
  const uploads = use(Context)
  if (!uploads) throw new Error('no uploads here')
  useSyncExternalStore(uploads.subscribe, uploads.version)
  return uploads
}

/** To add files, without following them. */
export function useAddFiles() {
  const uploads = use(Context)
  if (!uploads) throw new Error('no uploads here')
  return uploads
}
