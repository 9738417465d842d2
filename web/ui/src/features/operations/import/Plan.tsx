import { useEffect, useRef } from 'react'
import type { Schemas } from '~/api/client'
import { Table } from '~/components/table/Table'
import type { usePresent } from '~/features/selected/EditFields'
import { FieldChanges } from '~/features/selected/Seen'
import { useFormat, useTexts } from '~/text/context'
import css from './Import.module.css'
import { texts } from './texts'

interface PlanProps {
  plan: Schemas['OperationPreview']
  fields: ReturnType<typeof usePresent>
}

/** The effect of an import, row by row. */
export function Plan({ plan: p, fields }: PlanProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const summary = useRef<HTMLParagraphElement>(null)
  useEffect(() => summary.current?.focus(), []) // so that it is announced
  const failed = p.invalid + p.not_found_count
  const all = p.changed + failed
  return (
    <>
      <p ref={summary} tabIndex={-1} className={css.summary}>
        {p.changed > 0 ? format.plural(p.changed, t.willChangeOne, t.willChangeOther) : t.nothing}{' '}
        {p.unchanged > 0 && format.plural(p.unchanged, t.unchangedOne, t.unchangedOther)}{' '}
        {failed > 0 && <span className={css.wrong}>{format.plural(failed, t.failOne, t.failOther)}</span>}{' '}
        {p.items.length < all && t.first(format.number(p.items.length), format.number(all))}
      </p>
      {p.items.length > 0 && (
        <div className={css.rows}>
          <Table
            label={t.plan}
            rows={p.items}
            id={i => i.line ?? i.gaid}
            isPlain
            columns={[
              { head: t.line, cell: i => i.line !== null && format.number(i.line), short: true },
              { head: t.asset, cell: i => i.title || <span className={css.soft}>{t.none}</span> },
              {
                head: t.change,
                cell: i =>
                  i.error ? (
                    <span className={css.wrong}>{i.error.message}</span>
                  ) : (
                    <FieldChanges changes={i.changes} fields={fields} />
                  ),
              },
            ]}
          />
        </div>
      )}
    </>
  )
}
