import { useState } from 'react'
import { ApiError } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Pager } from '~/components/pager/Pager'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { Table } from '~/components/table/Table'
import { useUserNames } from '~/features/collections/collections'
import { useFormat, useTexts } from '~/text/context'
import css from './Audit.module.css'
import { type AuditEntry, useAudit, useAuditFilter } from './audit'
import { EntryDialog } from './EntryDialog'
import { Filters } from './Filters'
import { texts } from './texts'

/** The names of users, by their IDs. */
export type UserNames = ReadonlyMap<number, string>

/** Who did what, and when. */
export function AuditLog() {
  const t = useTexts(texts)
  const format = useFormat()
  const { filter, set, clear } = useAuditFilter()
  const [open, setOpen] = useState<AuditEntry | null>(null)
  const list = useAudit(filter)
  const errors = list.error instanceof ApiError ? list.error.fields : {}
  const page = Number(filter.page) || 1
  const names = useNames(list.data?.data ?? [])
  return (
    <section className={css.section}>
      <p className={css.help}>{t.help}</p>
      <Filters filter={filter} set={set} clear={clear} errors={errors} />
      {list.error && Object.keys(errors).length === 0 && <Notice kind="danger">{list.error.message}</Notice>}
      {list.isPending && <Busy label={t.loading} />}
      {list.data?.data.length === 0 && <Empty title={t.none} />}
      {list.data && list.data.data.length > 0 && (
        <Table
          label={t.audit}
          rows={list.data.data}
          id={e => e.id}
          columns={[
            { head: t.time, short: true, cell: e => format.time(e.created_at) },
            { head: t.who, short: true, cell: e => <Who entry={e} names={names} /> },
            { head: t.what, cell: e => <What entry={e} /> },
            { head: t.statusCode, cell: e => <StatusCode entry={e} /> },
            { head: t.address, short: true, cell: e => e.ip ?? '' },
            {
              head: '',
              end: true,
              cell: e => (
                <Button look="quiet" aria-label={t.detailsOf(format.number(e.id))} onPress={() => setOpen(e)}>
                  {t.details}
                </Button>
              ),
            },
          ]}
        />
      )}
      {list.data && (
        <Pager page={page} last={list.data.meta.last_page} onChange={p => set({ page: String(p) })} />
      )}
      {open && <EntryDialog entry={open} names={names} onClose={() => setOpen(null)} />}
    </section>
  )
}

/** The names of the users that entries are of. */
function useNames(entries: readonly AuditEntry[]): UserNames {
  const ids = [...new Set(entries.flatMap(e => e.user_id ?? []))].sort((a, b) => a - b)
  const { data } = useUserNames({ ids })
  return new Map(data?.map(u => [u.id, u.name]))
}

export function Who({ entry: e, names }: { entry: AuditEntry; names: UserNames }) {
  const t = useTexts(texts)
  const user = e.user_id !== null ? (names.get(e.user_id) ?? t.userOf(String(e.user_id))) : ''
  const who = e.method === 'CLI' ? t.command : user || e.account || t.nobody
  return (
    <>
      {who}
      {e.token_id !== null && <span className={css.soft}>, {t.tokenOf(String(e.token_id))}</span>}
    </>
  )
}

export function What({ entry: e }: { entry: AuditEntry }) {
  const t = useTexts(texts)
  if (e.event === 'request') {
    return (
      <span className={css.path}>
        {e.method} {e.path}
      </span>
    )
  }
  return (
    <>
      {t.events[e.event]}
      {(e.target ?? e.account) && <span className={css.soft}>: {e.target ?? e.account}</span>}
      {e.count > 1 && ` × ${e.count}`}
    </>
  )
}

export function StatusCode({ entry: e }: { entry: AuditEntry }) {
  return <span className={e.status !== null && e.status >= 400 ? css.bad : undefined}>{e.status ?? ''}</span>
}
