import { UploadCloud } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { useTexts } from '~/text/context'
import { useAddFiles } from './context'
import css from './DropZone.module.css'
import { dropped, picked } from './files'
import { texts } from './texts'

/** Takes files that are dropped anywhere on the page, or pasted; on a collection's page they go into it. */
export function DropZone({ children }: { children: ReactNode }) {
  const t = useTexts(texts)
  const uploads = useAddFiles()
  const { pathname } = useLocation()
  const [over, setOver] = useState(false)
  const collection = /^\/collections\/(\d+)/.exec(pathname)?.[1]
  useEffect(() => {
    const into = collection ? [Number(collection)] : []
    const withFiles = (e: DragEvent) => e.dataTransfer?.types.includes('Files') ?? false
    let depth = 0
    const onEnter = (e: DragEvent) => {
      if (!withFiles(e)) return
      depth++
      setOver(true)
    }
    const onLeave = (e: DragEvent) => {
      if (withFiles(e) && --depth <= 0) setOver(false)
    }
    const onOver = (e: DragEvent) => withFiles(e) && e.preventDefault()
    const onDrop = async (e: DragEvent) => {
      if (!withFiles(e) || !e.dataTransfer) return
      e.preventDefault()
      depth = 0
      setOver(false)
      await uploads.add(await dropped(e.dataTransfer), into)
    }
    const onPaste = (e: ClipboardEvent) => {
      const files = picked(e.clipboardData?.files ?? null)
      if (files.length > 0) void uploads.add(files, into)
    }
    const drop = (e: DragEvent) => void onDrop(e)
    document.addEventListener('dragenter', onEnter)
    document.addEventListener('dragleave', onLeave)
    document.addEventListener('dragover', onOver)
    document.addEventListener('drop', drop)
    document.addEventListener('paste', onPaste)
    return () => {
      document.removeEventListener('dragenter', onEnter)
      document.removeEventListener('dragleave', onLeave)
      document.removeEventListener('dragover', onOver)
      document.removeEventListener('drop', drop)
      document.removeEventListener('paste', onPaste)
    }
  }, [uploads, collection])
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
