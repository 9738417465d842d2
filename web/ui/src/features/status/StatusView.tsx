import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { api, data, type Schemas } from '~/api/client'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useFormat, useTexts } from '~/text/context'
import { BackupCard, DiskCard, QueuesCard, ScannerCard, SearchCard, ServerCard } from './cards'
import css from './Status.module.css'
import { texts } from './texts'

const readEvery = 10_000 // milliseconds; there are no events for the server's status

/** The status of the server, with problems first. */
export function StatusView() {
  const t = useTexts(texts)
  const status = useQuery({
    queryKey: ['status'],
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/status', { signal }))).data,
    refetchInterval: readEvery,
  })
  if (status.error && !status.data) return <Notice kind="danger">{status.error.message}</Notice>
  if (!status.data) return <Busy label={t.loading} />
  const s = status.data
  return (
    <>
      {status.error && <Notice kind="danger">{status.error.message}</Notice>}
      <Warnings list={s.warnings} />
      <div className={css.cards}>
        <ServerCard status={s} />
        <DiskCard disk={s.disk} />
        <BackupCard status={s} />
        <SearchCard status={s} />
        <ScannerCard scanner={s.scanner} />
        <QueuesCard queues={s.queues} />
      </div>
    </>
  )
}

function Warnings({ list }: { list: readonly Schemas['StatusWarning'][] }) {
  const t = useTexts(texts)
  const format = useFormat()
  if (list.length === 0) return <Notice kind="success">{t.allWell}</Notice>
  return (
    <section className={css.section} aria-label={`${t.warnings}: ${format.number(list.length)}`}>
      <ul className={css.warnings}>
        {list.map(w => (
          <li key={w.code} className={css.warning}>
            <TriangleAlert size={20} aria-hidden />
            <div>
              <strong>{t.wrong[w.code] ?? w.message}</strong>
              <p>{t.toDo[w.code] ?? w.what_to_do}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
