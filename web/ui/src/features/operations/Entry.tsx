import { ProgressBar } from 'react-aria-components'
import { Link } from 'react-router'
import { Button } from '~/components/button/Button'
import { useFormat, useTexts } from '~/text/context'
import css from './List.module.css'
import { texts } from './listTexts'
import { downloadPath } from './pages'
import { isGoing, type Operation, useCancel } from './queries'
import { useKind } from './useKind'

/** One operation in a list: its action, its progress, and its buttons. */
export function Entry({ operation: o, onOpen }: { operation: Operation; onOpen?: () => void }) {
  const t = useTexts(texts)
  const format = useFormat()
  const kind = useKind()
  return (
    <li className={css.entry}>
      <div className={css.words}>
        <Link to={`/operations/${o.id}`} className={css.name} onClick={onOpen}>
          {kind(o.type)}
        </Link>
        <span className={css.soft}>
          {t.states[o.state]} ·{' '}
          {t.progress(format.number(o.progress.done + o.progress.failed), format.number(o.progress.total))}
        </span>
        <Faults operation={o} />
        {isGoing(o) && <Progress operation={o} />}
        <span className={css.soft}>{format.time(o.created_at)}</span>
      </div>
      <Actions operation={o} />
    </li>
  )
}

/** The reason why it failed, or the number of failed assets. */
export function Faults({ operation: o }: { operation: Operation }) {
  const t = useTexts(texts)
  const format = useFormat()
  if (!o.error && o.progress.failed === 0) return null
  return (
    <span className={css.failed}>{o.error?.message ?? t.failedCount(format.number(o.progress.failed))}</span>
  )
}

export function Progress({ operation: o }: { operation: Operation }) {
  const kind = useKind()
  return (
    <ProgressBar aria-label={kind(o.type)} value={o.progress.percent} className={css.progress}>
      {({ percentage }) => <div className={css.bar} style={{ width: `${percentage}%` }} />}
    </ProgressBar>
  )
}

/** Cancels a running operation, and downloads the file of an export. */
export function Actions({ operation: o }: { operation: Operation }) {
  const t = useTexts(texts)
  const kind = useKind()
  const cancel = useCancel()
  const path = downloadPath(o)
  return (
    <>
      {isGoing(o) && o.state !== 'cancelling' && (
        <Button
          look="quiet"
          aria-label={t.cancelOf(kind(o.type))}
          isPending={cancel.isPending}
          onPress={() => cancel.mutate(o.id)}
        >
          {t.cancel}
        </Button>
      )}
      {path && (
        <a href={path} download className={css.download}>
          {t.download}
        </a>
      )}
    </>
  )
}
