import { useState } from 'react'
import { Link } from 'react-router'
import { Paged } from '~/components/pager/Paged'
import { Table } from '~/components/table/Table'
import { namesOf } from '~/features/account/browser'
import { useFormat, useTexts } from '~/text/context'
import { GuestEmail } from './Parts'
import css from './Shares.module.css'
import { type Share, type ShareEntry, useEntries, useTitles } from './shares'
import { texts } from './texts'

/** The actions of a share's guests, newest first. */
export function AccessLog({ share }: { share: Share }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [page, setPage] = useState(1)
  const list = useEntries(share.id, page)
  const titles = useTitles(list.data?.data ?? [])
  return (
    <section className={css.section}>
      <h2>{t.accessLog}</h2>
      <Paged list={list} loading={t.loading} empty={<p>{t.noEntries}</p>} page={page} onPage={setPage}>
        {rows => (
          <Table
            label={t.accessLog}
            isPlain
            rows={rows}
            id={e => e.id}
            columns={[
              { head: t.when, short: true, cell: e => format.time(e.created_at) },
              { head: t.what, cell: e => <What entry={e} titles={titles} /> },
              { head: t.email, cell: e => <GuestEmail email={e.email} isVerified={e.email_verified} /> },
              { head: t.address, short: true, cell: e => e.ip },
              { head: t.browser, short: true, cell: e => <Browser userAgent={e.user_agent} /> },
            ]}
          />
        )}
      </Paged>
    </section>
  )
}

function What({ entry: e, titles }: { entry: ShareEntry; titles: ReadonlyMap<string, string> }) {
  const t = useTexts(texts)
  return (
    <>
      {t.actions[e.action]}
      {e.gaid && (
        <>
          {': '}
          <Link to={`/assets/${e.gaid}`}>{titles.get(e.gaid) ?? e.gaid}</Link>
        </>
      )}
    </>
  )
}

function Browser({ userAgent }: { userAgent: string | null }) {
  const t = useTexts(texts)
  const { browser, system } = namesOf(userAgent ?? '')
  const name = browser && system ? t.on(browser, system) : (browser ?? system ?? t.unknown)
  return <span title={userAgent ?? undefined}>{name}</span>
}
