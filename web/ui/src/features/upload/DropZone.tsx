import { UploadCloud } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { useTexts } from '~/text/context'
import { useAddFiles, useMayUpload } from './context'
import css from './DropZone.module.css'
import { dropped, picked } from './files'
import { texts } from './texts'

/** Accepts files dropped anywhere on the page, or pasted; on a collection's page they are added to it. */
export function DropZone({ children }: { children: ReactNode }) {
  const t = useTexts(texts)
  const uploads = useAddFiles()
  const may = useMayUpload()
  const { pathname } = useLocation()
  const [over, setOver] = useState(false)
  const collection = /^\/collections\/(\d+)/.exec(pathname)?.[1]
  useEffect(() => {
    if (!may) return
    const into = collection ? [Number(collection)] : []
    const withFiles = (e: DragEvent) => e.dataTransfer?.types.includes('Files') ?? false
    const on = new AbortController()
    const listen = <K extends 'dragenter' | 'dragleave' | 'dragover' | 'drop' | 'paste'>(
      type: K,
      fn: (e: DocumentEventMap[K]) => void,
    ) => document.addEventListener(type, fn, { signal: on.signal })
    let depth = 0
    listen('dragenter', e => {
      if (!withFiles(e)) return
      depth++
      setOver(true)
    })
    listen('dragleave', e => {
      if (withFiles(e) && --depth <= 0) setOver(false)
    })
    listen('dragover', e => withFiles(e) && e.preventDefault())
    listen('drop', e => {
      if (!withFiles(e) || !e.dataTransfer) return
      e.preventDefault()
      depth = 0
      setOver(false)
      void uploads.add(dropped(e.dataTransfer), into)
    })
    listen('paste', e => {
      const files = e.clipboardData?.files
      if (files && files.length > 0) void uploads.add(picked(files), into)
    })
    return () => on.abort()
  }, [uploads, collection, may])
  return (
    <>
      {children}
      {over && (
        <div className={css.over} aria-hidden>
          <UploadCloud />
          {t.drop}
        </div>
      )}
    </>
  )
}
