import { useVirtualizer } from '@tanstack/react-virtual'
import { CircleAlert, CircleCheck, Copy, Pause, Play, RotateCcw, X } from 'lucide-react'
import { useRef } from 'react'
import { Link } from 'react-router'
import { IconButton } from '~/components/button/Button'
import { useFormat, useTexts } from '~/text/context'
import { useUploads } from './context'
import css from './Tray.module.css'
import { texts } from './texts'
import { hasEnded, isHere, isProblem, type Upload } from './upload'
import type { Uploads } from './uploads'

const rowHeight = 56 // pixels
const pausable = 1 << 20 // bytes; smaller files are sent together

/** The files with their progress, those with a problem first. */
export function TrayFiles({ problems }: { problems: boolean }) {
  const t = useTexts(texts)
  const uploads = useUploads()
  const list = problems ? withProblem(uploads.list) : problemsFirst(uploads)
  const box = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: list.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 5,
  })
  return (
    <section
      ref={box}
      className={css.files}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by keyboard
      tabIndex={0}
      aria-label={t.files}
    >
      <ul style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(row => {
          const u = list[row.index]
          return u && <File key={u.id} upload={u} top={row.start} version={uploads.version()} />
        })}
      </ul>
    </section>
  )
}

const withProblem = (list: readonly Upload[]) => list.filter(u => isProblem(u.state))

/** All files, those with a problem first. The counts spare copying a long list without problems. */
function problemsFirst({ list, counts }: Uploads) {
  if (counts.failed + counts.missing === 0) return list
  return [...withProblem(list), ...list.filter(u => !isProblem(u.state))]
}

function File({ upload: u, top }: { upload: Upload; top: number; version: number }) {
  const t = useTexts(texts)
  const format = useFormat()
  const state = () => {
    if (u.state === 'sending' && u.sent > 0) return t.bytes(format.size(u.sent), format.size(u.size))
    return u.state === 'missing' ? t.missingFile : t[u.state]
  }
  const known = u.gaid !== null && hasEnded(u.state)
  return (
    <li className={css.file} style={{ transform: `translateY(${top}px)`, height: rowHeight }}>
      <Mark upload={u} />
      <div className={css.words}>
        <span className={css.name} title={u.path || u.name}>
          {u.name}
        </span>
        <span className={isProblem(u.state) ? css.failed : css.state}>
          {u.state === 'duplicate' ? t.duplicate : u.message || state()}
        </span>
        {u.state === 'sending' && (
          <span className={css.track} aria-hidden>
            <span className={css.bar} style={{ width: `${(100 * u.sent) / Math.max(1, u.size)}%` }} />
          </span>
        )}
      </div>
      {known && (
        <Link to={`/assets/${u.gaid}`} className={css.show} aria-label={t.showOne(u.name)}>
          {t.show}
        </Link>
      )}
      <Actions upload={u} />
    </li>
  )
}

function Mark({ upload: u }: { upload: Upload }) {
  if (u.state === 'ready') return <CircleCheck className={css.good} aria-hidden />
  if (u.state === 'duplicate') return <Copy className={css.mark} aria-hidden />
  if (isProblem(u.state)) return <CircleAlert className={css.bad} aria-hidden />
  return <span className={css.mark} />
}

function Actions({ upload: u }: { upload: Upload }) {
  const t = useTexts(texts)
  const uploads = useUploads()
  return (
    <>
      {(u.state === 'waiting' || u.state === 'sending') && u.size >= pausable && (
        <IconButton label={t.pauseOne(u.name)} onPress={() => uploads.hold(u)}>
          <Pause />
        </IconButton>
      )}
      {u.state === 'paused' && (
        <IconButton label={t.resumeOne(u.name)} onPress={() => uploads.go(u)}>
          <Play />
        </IconButton>
      )}
      {(u.state === 'failed' || u.state === 'unsent') && (
        <IconButton label={t.retryOne(u.name)} onPress={() => void uploads.retry(u)}>
          <RotateCcw />
        </IconButton>
      )}
      {isHere(u.state) && (
        <IconButton label={t.cancelOne(u.name)} onPress={() => uploads.cancel([u])}>
          <X />
        </IconButton>
      )}
    </>
  )
}
