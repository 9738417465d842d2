import { useState } from 'react'
import { ApiError } from '~/api/client'
import { Button } from '~/components/button/Button'
import log from '~/components/log/Log.module.css'
import { Paged } from '~/components/pager/Paged'
import { Empty } from '~/components/state/Empty'
import { Table } from '~/components/table/Table'
import { useUserNames } from '~/features/collections/collections'
import { useFormat, useTexts } from '~/text/context'
import { type AuditEntry, useAudit, useAuditFilter } from './audit'
import { StatusCode, type UserNames, What, Who } from './cells'
import { EntryDialog } from './EntryDialog'
import { Filters } from './Filters'
import { texts } from './texts'

/** The audit log. */
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
    <section className={log.section}>
      <p className={log.help}>{t.help}</p>
      <Filters filter={filter} set={set} clear={clear} errors={errors} />
      <Paged
        list={list}
        hidesError={Object.keys(errors).some(name => name !== 'page')}
        loading={t.loading}
        empty={<Empty title={t.none} />}
        page={page}
        onPage={p => set({ page: String(p) })}
      >
        {rows => (
          <Table
            label={t.audit}
            rows={rows}
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
                  <Button
                    look="quiet"
                    aria-label={t.detailsOf(format.number(e.id))}
                    onPress={() => setOpen(e)}
                  >
                    {t.details}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Paged>
      {open && <EntryDialog entry={open} names={names} onClose={() => setOpen(null)} />}
    </section>
  )
}

/** The names of the users in entries. */
function useNames(entries: readonly AuditEntry[]): UserNames {
  const ids = [...new Set(entries.flatMap(e => e.user_id ?? []))].sort((a, b) => a - b)
  const { data } = useUserNames({ ids })
  return new Map(data?.map(u => [u.id, u.name]))
}
