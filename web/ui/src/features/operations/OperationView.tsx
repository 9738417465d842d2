import { ApiError } from '~/api/client'
import { mounted } from '~/api/mount'
import { ButtonLink } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { useFormat, useTexts } from '~/text/context'
import { Actions, Faults, Progress } from './Entry'
import { useTable } from './import/table'
import css from './List.module.css'
import { texts } from './listTexts'
import { Outcomes } from './Outcomes'
import { useOperation } from './pages'
import { isGoing, type Operation } from './queries'

/** One operation: its progress, and the results for its assets. */
export function OperationView({ id }: { id: number }) {
  const t = useTexts(texts)
  const operation = useOperation(id)
  if (operation.error instanceof ApiError && operation.error.status === 404) {
    return (
      <Empty title={t.notFound}>
        <p>{t.notFoundHelp}</p>
        <ButtonLink href="/operations">{t.operations}</ButtonLink>
      </Empty>
    )
  }
  if (operation.error && !operation.data) return <Notice kind="danger">{operation.error.message}</Notice>
  if (!operation.data) return <Busy label={t.loading} />
  return (
    <>
      <Summary operation={operation.data} />
      <Outcomes operation={operation.data} />
    </>
  )
}

function Summary({ operation: o }: { operation: Operation }) {
  const t = useTexts(texts)
  const format = useFormat()
  const { done, failed, total, unchanged } = o.progress
  const took = o.started_at && o.finished_at && (Date.parse(o.finished_at) - Date.parse(o.started_at)) / 1000
  return (
    <div className={css.summary}>
      <strong role="status">{t.states[o.state]}</strong>
      <span>{t.progress(format.number(done + failed), format.number(total))}</span>
      {unchanged > 0 && <span className={css.soft}>{t.unchangedCount(format.number(unchanged))}</span>}
      <Faults operation={o} />
      <span className={css.soft}>
        {t.started(format.time(o.created_at))} {took ? t.took(format.number(Math.ceil(took))) : ''}
      </span>
      {o.spec.filename && (
        <span className={css.soft}>{t.rowsBy(o.spec.filename, o.spec.match_by ?? '')}</span>
      )}
      <Actions operation={o} />
      <Result operation={o} />
      {o.download && (
        <span className={css.soft}>
          {t.downloadUntil(format.size(o.download.file_size), format.time(o.download.expires_at))}
        </span>
      )}
      {isGoing(o) && (
        <div className={css.wide}>
          <Progress operation={o} />
        </div>
      )}
    </div>
  )
}

/** The CSV of an import with the result of each row, as long as it is stored. */
function Result({ operation: o }: { operation: Operation }) {
  const t = useTexts(texts)
  const format = useFormat()
  const table = useTable(o)
  if (!table || isGoing(o)) return null
  return (
    <>
      <a href={mounted(`/api/v1/operations/${o.id}/result`)} download className={css.download}>
        {t.result}
      </a>
      <span className={css.soft}>{t.until(format.time(table.expires_at))}</span>
    </>
  )
}
