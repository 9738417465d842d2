import { useState } from 'react'
import { ApiError } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Pager } from '~/components/pager/Pager'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { Table } from '~/components/table/Table'
import { useFormat, useTexts } from '~/text/context'
import { ConsentDialog, Of } from './ConsentDialog'
import css from './Consents.module.css'
import { useConsentFilter, useConsents } from './consents'
import { Filters } from './Filters'
import { texts } from './texts'

/** Who has accepted which terms. */
export function Consents() {
  const t = useTexts(texts)
  const format = useFormat()
  const { filter, set, clear } = useConsentFilter()
  const [open, setOpen] = useState<number | null>(null)
  const list = useConsents(filter)
  const errors = list.error instanceof ApiError ? list.error.fields : {}
  return (
    <section className={css.section}>
      <p className={css.help}>{t.help}</p>
      <Filters filter={filter} set={set} clear={clear} errors={errors} />
      {list.error && Object.keys(errors).length === 0 && <Notice kind="danger">{list.error.message}</Notice>}
      {list.isPending && <Busy label={t.loading} />}
      {list.data?.data.length === 0 && <Empty title={t.none} />}
      {list.data && list.data.data.length > 0 && (
        <Table
          label={t.consents}
          rows={list.data.data}
          id={c => c.id}
          columns={[
            { head: t.time, short: true, cell: c => format.time(c.accepted_at) },
            { head: t.who, cell: c => c.subject_name },
            { head: t.email, cell: c => c.subject_email ?? '' },
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
      {list.data && (
        <Pager
          page={Number(filter.page) || 1}
          last={list.data.meta.last_page}
          onChange={p => set({ page: String(p) })}
        />
      )}
      {open !== null && <ConsentDialog id={open} onClose={() => setOpen(null)} />}
    </section>
  )
}
