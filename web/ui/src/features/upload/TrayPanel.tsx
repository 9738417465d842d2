import { ChevronDown, Pause, Play, UploadCloud, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ProgressBar } from 'react-aria-components'
import { Button, IconButton } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { useFormat, useTexts } from '~/text/context'
import { useUploads } from './context'
import { shareOf, useRate } from './progress'
import css from './Tray.module.css'
import { TrayFiles } from './TrayFiles'
import { TrayNotes } from './TrayNotes'
import { texts } from './texts'

const phone = window.matchMedia('(max-width: 48rem)')

/** The progress of the uploads, and the errors; it can be minimized. */
export default function TrayPanel() {
  const t = useTexts(texts)
  const uploads = useUploads()
  const format = useFormat()
  const [open, setOpen] = useState(() => !phone.matches)
  const [problems, setProblems] = useState(false)
  const toggled = useRef(false)
  const toggle = (to: boolean) => {
    toggled.current = true
    setOpen(to)
  }
  const c = uploads.counts
  const share = shareOf(c)
  const going = c.here > c.missing
  const percent = format.percent(Math.floor(share * 100) / 100)
  if (!open) {
    return (
      <section aria-label={t.uploads} className={css.small}>
        <Button
          className={css.pill}
          onPress={() => toggle(true)}
          autoFocus={toggled.current}
          aria-expanded={false}
        >
          <UploadCloud aria-hidden />
          <span className="visually-hidden">{t.showUploads}:</span>
          {going ? percent : c.failed + c.missing > 0 ? <Failed /> : t.ended(format.number(c.total))}
        </Button>
        <Milestones />
      </section>
    )
  }
  return (
    <section className={css.tray} aria-label={t.uploads}>
      <div className={css.head}>
        <h2 className={css.title}>
          <Title />
        </h2>
        {going && (
          <IconButton
            label={uploads.paused ? t.resume : t.pause}
            onPress={() => (uploads.paused ? uploads.resume() : uploads.pause())}
          >
            {uploads.paused ? <Play /> : <Pause />}
          </IconButton>
        )}
        <IconButton
          label={t.minimise}
          onPress={() => toggle(false)}
          autoFocus={toggled.current}
          aria-expanded={true}
        >
          <ChevronDown />
        </IconButton>
        <CloseButton />
      </div>
      {going && (
        <>
          <p className={css.sums}>
            <Sums />
          </p>
          <ProgressBar aria-label={t.uploads} value={share * 100} className={css.progress}>
            {({ percentage }) => <div className={css.bar} style={{ width: `${percentage}%` }} />}
          </ProgressBar>
        </>
      )}
      <TrayNotes problems={problems} onProblems={setProblems} />
      <TrayFiles problems={problems && c.failed + c.missing > 0} />
      <Milestones />
    </section>
  )
}

function Failed() {
  const t = useTexts(texts)
  const format = useFormat()
  const c = useUploads().counts
  return t.endedFailed(format.number(c.failed + c.missing), format.number(c.total))
}

function Title() {
  const t = useTexts(texts)
  const format = useFormat()
  const uploads = useUploads()
  const c = uploads.counts
  if (c.done < c.total) return t.going(format.number(c.done), format.number(c.total))
  return c.failed > 0 ? <Failed /> : t.ended(format.number(c.total))
}

/** Bytes sent, speed, and remaining time. */
function Sums() {
  const t = useTexts(texts)
  const format = useFormat()
  const uploads = useUploads()
  const c = uploads.counts
  const rate = useRate(c.sent, !uploads.paused && !uploads.offline)
  const parts = [t.bytes(format.size(c.sent), format.size(c.bytes))]
  if (uploads.paused) parts.push(t.paused)
  else if (rate) {
    parts.push(t.rate(format.size(rate)))
    parts.push(t.left(format.span((c.bytes - c.sent) / rate)))
  }
  return parts.join(' · ')
}

/** Announces the start, pause and end of uploads to screen readers, but not each file. */
function Milestones() {
  const t = useTexts(texts)
  const format = useFormat()
  const uploads = useUploads()
  const c = uploads.counts
  const [text, setText] = useState('')
  const state = uploads.paused && c.here > 0 ? 'held' : c.done < c.total ? 'going' : 'ended'
  const now =
    state === 'held'
      ? t.held
      : state === 'going'
        ? t.begun(format.plural(c.total, t.oneFile, t.manyFiles))
        : c.failed > 0
          ? t.endedFailed(format.number(c.failed), format.number(c.total))
          : t.ended(format.number(c.total))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counts go on changing; they are read when the state changes
  useEffect(() => setText(now), [state])
  return (
    <span role="status" className="visually-hidden">
      {text}
    </span>
  )
}

/** Closes the tray, after a confirmation if that stops uploads. */
function CloseButton() {
  const t = useTexts(texts)
  const format = useFormat()
  const uploads = useUploads()
  const [asking, setAsking] = useState(false)
  const { here } = uploads.counts
  const stop = () => {
    setAsking(false)
    uploads.cancel(uploads.list)
    uploads.clear()
  }
  return (
    <>
      <IconButton
        label={here > 0 ? t.stopAll : t.close}
        onPress={() => (here > 0 ? setAsking(true) : uploads.clear())}
      >
        <X />
      </IconButton>
      {asking && (
        <Dialog title={t.stopAll} isOpen onClose={() => setAsking(false)}>
          <p>{t.stopAllHelp(format.plural(here, t.oneFile, t.manyFiles))}</p>
          <DialogButtons>
            <Button onPress={() => setAsking(false)} autoFocus>
              {t.goOn}
            </Button>
            <Button look="danger" onPress={stop}>
              {t.stop}
            </Button>
          </DialogButtons>
        </Dialog>
      )}
    </>
  )
}
