import type { ReactNode } from 'react'
import { Meter } from 'react-aria-components'
import type { Schemas } from '~/api/client'
import { Table } from '~/components/table/Table'
import { textFor } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import css from './Status.module.css'
import { texts } from './texts'

type Status = Schemas['Status']

function Card({ title, wide, children }: { title: string; wide?: boolean; children: ReactNode }) {
  return (
    <section className={wide ? `${css.card} ${css.wide}` : css.card} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Names and values; empty values are omitted. */
function Facts({ list }: { list: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={css.facts}>
      {list
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

export function ServerCard({ status: s }: { status: Status }) {
  const t = useTexts(texts)
  const format = useFormat()
  const used = format.size(s.memory.used)
  return (
    <Card title={t.server}>
      <Facts
        list={[
          [t.version, s.version],
          [t.since, format.time(s.started_at)],
          [t.memory, s.memory.limit === null ? used : t.of(used, format.size(s.memory.limit))],
          [t.readers, t.confined(s.confinement.files, s.confinement.network)],
        ]}
      />
    </Card>
  )
}

export function DiskCard({ disk: d }: { disk: Schemas['StatusDisk'] }) {
  const t = useTexts(texts)
  const format = useFormat()
  const folder = (bytes: number | null) => (bytes === null ? t.measuring : format.size(bytes))
  const known = d.free !== null && d.total !== null
  const free = known ? t.of(format.size(d.free ?? 0), format.size(d.total ?? 0)) : t.unknown
  const short = d.is_full || (known && (d.free ?? 0) < (d.total ?? 0) / 20)
  return (
    <Card title={t.disk}>
      {known && (
        <Meter
          aria-label={t.disk}
          value={(d.total ?? 0) - (d.free ?? 0)}
          maxValue={d.total ?? 1}
          valueLabel={`${t.free}: ${free}`}
          className={short ? `${css.meter} ${css.short}` : css.meter}
        >
          {({ percentage }) => <div className={css.filled} style={{ width: `${percentage}%` }} />}
        </Meter>
      )}
      <Facts
        list={[
          [t.free, free],
          [t.reserve, d.reserve === null ? null : format.size(d.reserve)],
          [t.originals, format.size(d.originals)],
          [t.records, folder(d.folders.records)],
          [t.renditions, folder(d.folders.renditions)],
          [t.index, folder(d.folders.index)],
          [t.exports, folder(d.folders.exports)],
        ]}
      />
    </Card>
  )
}

export function BackupCard({ status: s }: { status: Status }) {
  const t = useTexts(texts)
  const format = useFormat()
  const found = (n: number) => (n === 0 ? t.noProblems : t.problems(format.number(n)))
  const b = s.last_backup
  const c = s.last_check
  return (
    <Card title={t.backup}>
      <Facts
        list={[
          [t.lastBackup, s.last_backup_at ? format.time(s.last_backup_at) : t.never],
          [t.target, b?.target ?? null],
          [
            t.content,
            b ? `${t.files(format.number(b.files), format.size(b.bytes))}. ${found(b.problems)}` : null,
          ],
          [t.verified, b ? (b.is_verified ? t.yes : t.no) : null],
          [t.failure, b?.failure ?? null],
          [t.lastCheck, s.last_check_at ? format.time(s.last_check_at) : t.never],
          [' ', c ? `${found(c.problems)}. ${c.is_every_byte ? '' : t.quick}` : null],
        ]}
      />
    </Card>
  )
}

export function SearchCard({ status: s }: { status: Status }) {
  const t = useTexts(texts)
  const format = useFormat()
  const { documents, pending, lag_seconds } = s.index
  const modelName = (id: string) => textFor(t.modelNames, id.split('/')[0] ?? id, id)
  const missing = s.engines.filter(e => !e.is_available).map(e => textFor(t.engineNames, e.name))
  return (
    <Card title={t.search}>
      <Facts
        list={[
          [t.assets, format.number(documents)],
          [
            t.pending,
            pending === 0 ? t.upToDate : t.behind(format.number(pending), format.number(lag_seconds)),
          ],
          [
            t.models,
            s.models.map(m => t.model(modelName(m.name), format.number(m.assets))).join(', ') || t.noModels,
          ],
          [t.engines, missing.length > 0 ? format.list(missing) : null],
          [t.ai, s.ai && `${s.ai.model}: ${t.asked(format.number(s.ai.used), format.number(s.ai.budget))}`],
        ]}
      />
    </Card>
  )
}

export function ScannerCard({ scanner: s }: { scanner: Schemas['StatusScanner'] }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <Card title={t.scanner}>
      {s.has_clamd ? (
        <Facts
          list={[
            [t.status, s.is_reachable ? t.reachable : t.away],
            [t.version, s.version],
            [t.signatures, s.signatures_at && format.day(s.signatures_at)],
          ]}
        />
      ) : (
        <p>{t.builtIn}</p>
      )}
    </Card>
  )
}

export function QueuesCard({ queues }: { queues: readonly Schemas['StatusQueue'][] }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <Card title={t.queues} wide>
      <Table
        label={t.queues}
        isPlain
        rows={queues}
        id={q => q.name}
        columns={[
          { head: t.queue, cell: q => textFor(t.queueNames, q.name) },
          { head: t.waiting, cell: q => format.number(q.waiting) },
          { head: t.running, cell: q => format.number(q.running) },
          { head: t.givenUp, cell: q => format.number(q.given_up) },
          { head: t.oldest, cell: q => (q.oldest_at ? format.time(q.oldest_at) : '') },
        ]}
      />
    </Card>
  )
}
