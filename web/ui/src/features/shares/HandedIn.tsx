import { useState } from 'react'
import { Link } from 'react-router'
import { Paged } from '~/components/pager/Paged'
import { Table } from '~/components/table/Table'
import { useFormat, useTexts } from '~/text/context'
import { type ShareFile, useHandedIn } from './handIn'
import { texts as handInTexts } from './handInTexts'
import css from './Shares.module.css'
import type { Share } from './shares'
import { texts } from './texts'

/** The guest uploads of a share, newest first. */
export function HandedIn({ share }: { share: Share }) {
  const t = useTexts(handInTexts)
  const ts = useTexts(texts)
  const format = useFormat()
  const [page, setPage] = useState(1)
  const list = useHandedIn(share.id, page)
  return (
    <section className={css.section}>
      <h2>{t.handedIn}</h2>
      <Paged list={list} loading={ts.loading} empty={<p>{t.noFiles}</p>} page={page} onPage={setPage}>
        {rows => (
          <Table
            label={t.handedIn}
            isPlain
            rows={rows}
            id={f => f.id}
            columns={[
              { head: ts.when, short: true, cell: f => format.time(f.created_at) },
              { head: t.file, cell: f => <Name file={f} /> },
              { head: t.size, short: true, cell: f => format.size(f.size) },
              { head: t.state, cell: f => <What file={f} /> },
              { head: t.from, cell: f => f.email ?? t.guest(format.number(f.visit_id)) },
            ]}
          />
        )}
      </Paged>
    </section>
  )
}

function Name({ file: f }: { file: ShareFile }) {
  return f.gaid ? <Link to={`/assets/${f.gaid}`}>{f.filename}</Link> : f.filename
}

function What({ file: f }: { file: ShareFile }) {
  const t = useTexts(handInTexts)
  return (
    <>
      {t.states[f.status]}
      {f.error && f.status !== 'duplicate' && <span className={css.soft}> {f.error.message}</span>}
    </>
  )
}

/** The limits of guest uploads, in short. */
export function useTakes() {
  const t = useTexts(handInTexts)
  const format = useFormat()
  return ({ upload: u }: Share) =>
    u
      ? [
          t.upTo(format.number(u.max_files ?? 0), format.size(u.max_total_size ?? 0)),
          u.max_file_size ? t.each(format.size(u.max_file_size)) : '',
          (u.categories ?? []).map(c => t.categories[c]).join(', '),
          u.extensions?.length ? t.ending(u.extensions.join(', ')) : '',
        ]
          .filter(Boolean)
          .join(' · ')
      : ''
}
