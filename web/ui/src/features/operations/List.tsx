import { Activity } from 'lucide-react'
import { Dialog, DialogTrigger, Popover, ProgressBar } from 'react-aria-components'
import { Button, IconButton } from '~/components/button/Button'
import { useFormat, useTexts } from '~/text/context'
import css from './List.module.css'
import { isGoing, type Operation, useCancel, useOperations } from './operations'
import { texts } from './texts'

/** The latest operations, behind a button that says whether one goes on. */
export function OperationsButton() {
  const t = useTexts(texts)
  const operations = useOperations()
  const active = operations.filter(isGoing)
  return (
    <DialogTrigger>
      <IconButton label={t.operations} className={active.length > 0 ? css.active : undefined}>
        <Activity />
      </IconButton>
      <Popover className={css.popover} placement="bottom end">
        <Dialog aria-label={t.operations} className={css.dialog}>
          <h2>{t.operations}</h2>
          {operations.length === 0 && <p>{t.none}</p>}
          <ul className={css.list}>
            {operations.map(o => (
              <Entry key={o.id} operation={o} />
            ))}
          </ul>
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}

function Entry({ operation: o }: { operation: Operation }) {
  const t = useTexts(texts)
  const format = useFormat()
  const cancel = useCancel()
  const { done, total, failed, percent } = o.progress
  return (
    <li className={css.entry}>
      <div className={css.words}>
        <strong>{o.type === 'export' ? t.exporting : t[o.type]}</strong>
        <span>
          {t[o.state]} · {format.number(done)} / {format.number(total)}
        </span>
        {(o.error || failed > 0) && (
          <span className={css.failed}>{o.error?.message ?? t.invalid(format.number(failed))}</span>
        )}
        {isGoing(o) && (
          <ProgressBar aria-label={t.operations} value={percent} className={css.progress}>
            {({ percentage }) => <div className={css.bar} style={{ width: `${percentage}%` }} />}
          </ProgressBar>
        )}
      </div>
      {isGoing(o) && o.state !== 'cancelling' && (
        <Button look="quiet" onPress={() => cancel.mutate(o.id)}>
          {t.cancel}
        </Button>
      )}
      {o.download && (
        <a href={new URL(o.download.url, window.location.href).pathname} download>
          {t.download}
        </a>
      )}
    </li>
  )
}
