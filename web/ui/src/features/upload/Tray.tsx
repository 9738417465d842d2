import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronUp, Pause, Play, RotateCcw, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ProgressBar } from 'react-aria-components'
import { Link } from 'react-router'
import { IconButton } from '~/components/button/Button'
import { useFormat, useTexts } from '~/text/context'
import { useUploads } from './context'
import css from './Tray.module.css'
import { texts } from './texts'
import { hasEnded, type Upload } from './uploads'

const rowHeight = 52 // pixels

/** The uploads while one goes on working: how far they are, what failed and why. */
export function Tray() {
  const t = useTexts(texts)
  const format = useFormat()
  const uploads = useUploads()
  const [open, setOpen] = useState(true)
  const counts = uploads.counts()
  const share = counts.bytes > 0 ? counts.sent / counts.bytes : 1
  const ended = counts.done === counts.total
  const progress = ended ? '' : `${Math.floor(share * 100)} % `
  useEffect(() => {
    if (!progress) return
    document.title = progress + document.title.replace(/^\d+ % /, '')
    return () => {
      document.title = document.title.replace(/^\d+ % /, '')
    }
  }, [progress])
  if (counts.total === 0) return null
  const title = ended
    ? counts.failed > 0
      ? t.endedFailed(format.number(counts.failed), format.number(counts.total))
      : t.ended(format.number(counts.total))
    : t.going(format.number(counts.done), format.number(counts.total))
  return (
    <section className={css.tray} aria-label={t.uploads}>
      <div className={css.head}>
        <span role="status" className={css.title}>
          {title}
        </span>
        {!ended && (
          <IconButton
            label={uploads.paused ? t.resume : t.pause}
            onPress={() => (uploads.paused ? uploads.resume() : uploads.pause())}
          >
            {uploads.paused ? <Play /> : <Pause />}
          </IconButton>
        )}
        <IconButton label={open ? t.fold : t.unfold} onPress={() => setOpen(!open)} aria-expanded={open}>
          {open ? <ChevronDown /> : <ChevronUp />}
        </IconButton>
        {ended && (
          <IconButton label={t.clear} onPress={() => uploads.clear()}>
            <X />
          </IconButton>
        )}
      </div>
      {!ended && (
        <ProgressBar aria-label={t.uploads} value={share * 100} className={css.progress}>
          {({ percentage }) => <div className={css.bar} style={{ width: `${percentage}%` }} />}
        </ProgressBar>
      )}
      {open && <Files list={uploads.list} />}
    </section>
  )
}

function Files({ list }: { list: readonly Upload[] }) {
  const box = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: list.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 5,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keyboard
    <div ref={box} className={css.files} tabIndex={0}>
      <ul style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(row => {
          const u = list[row.index]
          return u && <File key={u.id} upload={u} top={row.start} />
        })}
      </ul>
    </div>
  )
}

function File({ upload: u, top }: { upload: Upload; top: number }) {
  const t = useTexts(texts)
  const format = useFormat()
  const uploads = useUploads()
  const failed = u.state === 'failed' || u.state === 'rejected' || u.state === 'unsent'
  const state = u.state === 'sending' ? `${format.size(u.sent)} / ${format.size(u.file.size)}` : t[u.state]
  return (
    <li className={css.file} style={{ transform: `translateY(${top}px)`, height: rowHeight }}>
      <div className={css.words}>
        <span className={css.name}>{u.file.name}</span>
        <span className={failed ? css.failed : css.state}>{u.message || state}</span>
      </div>
      {u.gaid && hasEnded(u.state) && (
        <Link to={`/assets/${u.gaid}`} className={css.show}>
          {t.show}
        </Link>
      )}
      {(u.state === 'failed' || u.state === 'unsent') && (
        <IconButton label={t.retry} onPress={() => void uploads.retry(u)}>
          <RotateCcw />
        </IconButton>
      )}
    </li>
  )
}
