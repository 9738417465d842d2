import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router'
import { ButtonLink } from '~/components/button/Button'
import { Segments } from '~/components/button/Segments'
import { Paged } from '~/components/pager/Paged'
import { Table } from '~/components/table/Table'
import { useCan } from '~/features/session/rights'
import { textFor } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import css from './Analytics.module.css'
import { assetsTable, type Overview, type Range, useAssetsUsed } from './analytics'
import { texts } from './texts'

/** The most used items, with their counts. */
export function Lists({ overview: o, range }: { overview: Overview; range: Range }) {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const number = (n: number) => format.number(n)
  return (
    <div className={css.cards}>
      {can('assets:read') && <Assets key={range.join()} range={range} />}
      {o.top_collections.length > 0 && (
        <Card title={t.topCollections}>
          <Table
            label={t.topCollections}
            rows={o.top_collections}
            id={c => c.id}
            columns={[
              { head: t.collection, cell: c => <Link to={`/collections/${c.id}`}>{c.name}</Link> },
              { head: t.views, end: true, cell: c => number(c.views) },
              { head: t.downloads, end: true, cell: c => number(c.downloads) },
            ]}
          />
        </Card>
      )}
      {o.top_shares.length > 0 && (
        <Card title={t.topShares}>
          <Table
            label={t.topShares}
            rows={o.top_shares}
            id={s => s.id}
            columns={[
              {
                head: t.share,
                cell: s => (s.type === 'embed' ? s.name : <Link to={`/shares/${s.id}`}>{s.name}</Link>),
              },
              { head: t.views, end: true, cell: s => number(s.views) },
              { head: t.downloads, end: true, cell: s => number(s.downloads) },
            ]}
          />
        </Card>
      )}
      <Queries title={t.topQueries} rows={o.top_queries} />
      <Queries title={t.emptyQueries} rows={o.top_queries_without_results} />
      {o.channels.length > 0 && (
        <Card title={t.ways}>
          <Table
            label={t.ways}
            isPlain
            rows={o.channels}
            id={c => c.channel}
            columns={[
              { head: t.way, cell: c => textFor(t.channels, c.channel) },
              { head: t.views, end: true, cell: c => number(c.views) },
              { head: t.downloads, end: true, cell: c => number(c.downloads) },
            ]}
          />
        </Card>
      )}
      <Card title={t.storage}>
        <Table
          label={t.storage}
          isPlain
          rows={o.storage}
          id={s => s.file_category}
          columns={[
            { head: t.category, cell: s => textFor(t.categories, s.file_category) },
            { head: t.assets, end: true, cell: s => number(s.count) },
            { head: t.size, end: true, cell: s => format.size(s.bytes) },
          ]}
        />
      </Card>
    </div>
  )
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.card}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Queries({ title, rows }: { title: string; rows: Overview['top_queries'] }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <Card title={title}>
      {rows.length === 0 && <p className={css.soft}>{t.noQueries}</p>}
      {rows.length > 0 && (
        <Table
          label={title}
          rows={rows}
          id={q => q.text}
          columns={[
            { head: t.query, cell: q => <Link to={`/?q=${encodeURIComponent(q.text)}`}>{q.text}</Link> },
            { head: t.count, end: true, cell: q => format.number(q.count) },
          ]}
        />
      )}
    </Card>
  )
}

function Assets({ range }: { range: Range }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [by, setBy] = useState<'views' | 'downloads'>('views')
  const [page, setPage] = useState(1)
  const list = useAssetsUsed(range, by, page)
  const last = list.data?.meta.last_page ?? 1
  useEffect(() => setPage(p => Math.min(p, last)), [last])
  return (
    <Card title={t.topAssets}>
      <div className={css.range}>
        <Segments
          label={t.sortBy}
          choices={{ views: t.byViews, downloads: t.byDownloads }}
          value={by}
          onChange={v => {
            setBy(v)
            setPage(1)
          }}
        />
        {list.data && list.data.meta.total > 0 && (
          <ButtonLink href={assetsTable(range, by)} download>
            {t.assetsTable}
          </ButtonLink>
        )}
      </div>
      <Paged
        list={list}
        loading={t.loading}
        empty={<p className={css.soft}>{t.nothing}</p>}
        page={page}
        onPage={setPage}
      >
        {rows => (
          <Table
            label={t.topAssets}
            rows={rows}
            id={a => a.gaid}
            columns={[
              {
                head: t.asset,
                cell: a =>
                  a.is_gone ? (
                    <span className={css.soft}>{a.title ? `${a.title} (${t.gone})` : t.deletedAsset}</span>
                  ) : (
                    <Link to={`/assets/${a.gaid}`}>{a.title}</Link>
                  ),
              },
              { head: t.views, end: true, cell: a => format.number(a.views) },
              { head: t.downloads, end: true, cell: a => format.number(a.downloads) },
            ]}
          />
        )}
      </Paged>
    </Card>
  )
}
