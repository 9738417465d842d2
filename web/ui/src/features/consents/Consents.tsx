import { useState } from 'react'
import { ApiError } from '~/api/client'
import { Button } from '~/components/button/Button'
import log from '~/components/log/Log.module.css'
import { Paged } from '~/components/pager/Paged'
import { Empty } from '~/components/state/Empty'
import { Table } from '~/components/table/Table'
import { useFormat, useTexts } from '~/text/context'
import { ConsentDialog, Email, Of } from './ConsentDialog'
import { Filters } from './Filters'
import { useConsentFilter, useConsents } from './queries'
import { texts } from './texts'

/** The list of consents. */
export function Consents() {
  const t = useTexts(texts)
  const format = useFormat()
  const { filter, set, clear } = useConsentFilter()
  const [open, setOpen] = useState<number | null>(null)
  const list = useConsents(filter)
  const errors = list.error instanceof ApiError ? list.error.fields : {}
  return (
    <section className={log.section}>
      <p className={log.help}>{t.help}</p>
      <Filters filter={filter} set={set} clear={clear} errors={errors} />
      <Paged
        list={list}
        hidesError={Object.keys(errors).some(name => name !== 'page')}
        loading={t.loading}
        empty={<Empty title={Object.keys(filter).length > 0 ? t.none : t.noneYet} />}
        page={Number(filter.page) || 1}
        onPage={p => set({ page: String(p) })}
      >
        {rows => (
          <Table
            label={t.consents}
            rows={rows}
            id={c => c.id}
            columns={[
              { head: t.time, short: true, cell: c => format.time(c.accepted_at) },
              { head: t.who, cell: c => c.subject_name },
              { head: t.email, cell: c => <Email consent={c} /> },
              { head: t.terms, short: true, cell: c => <Of consent={c} /> },
              { head: t.version, cell: c => format.number(c.terms_version) },
              {
                head: '',
                end: true,
                cell: c => (
                  <Button
                    look="quiet"
                    aria-label={t.detailsOf(format.number(c.id))}
                    onPress={() => setOpen(c.id)}
                  >
                    {t.details}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Paged>
      {open !== null && <ConsentDialog id={open} onClose={() => setOpen(null)} />}
    </section>
  )
}
