import { useState } from 'react'
import { Link } from 'react-router'
import { ButtonLink } from '~/components/button/Button'
import { Paged } from '~/components/pager/Paged'
import { Pager } from '~/components/pager/Pager'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { Table } from '~/components/table/Table'
import type { AssetItem } from '~/features/assets/query'
import { Thumbnail } from '~/features/assets/Thumbnail'
import { useFormat, useTexts } from '~/text/context'
import css from './Feedback.module.css'
import shared from './Shares.module.css'
import {
  type FeedbackTotal,
  feedbackTable,
  pickedIn,
  useFeedback,
  useFeedbackAssets,
  useFeedbackTotals,
} from './said'
import type { Share } from './shares'
import { texts } from './texts'

/** The feedback of a share's guests on its assets, most picked first. */
export function Feedback({ share }: { share: Share }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [page, setPage] = useState(1)
  const list = useFeedbackTotals(share.id, page)
  const assets = useFeedbackAssets(list.data?.data ?? [])
  return (
    <section className={shared.section}>
      <h2>{t.feedback}</h2>
      <Paged list={list} loading={t.loading} empty={<p>{t.noFeedback}</p>} page={page} onPage={setPage}>
        {rows => (
          <>
            <div className={css.actions}>
              {rows.some(r => r.picks > 0) && (
                <ButtonLink href={pickedIn(share.id)}>{t.showPicked}</ButtonLink>
              )}
              <ButtonLink href={feedbackTable(share.id)} download>
                {t.feedbackTable}
              </ButtonLink>
            </div>
            <Table
              label={t.feedback}
              rows={rows}
              id={r => r.gaid ?? ''}
              columns={[
                { head: t.asset, cell: r => <Asset total={r} asset={assets.get(r.gaid ?? '')} /> },
                { head: t.picks, short: true, end: true, cell: r => format.number(r.picks) },
                {
                  head: t.rating,
                  short: true,
                  cell: r =>
                    r.average_rating !== null &&
                    t.ratingOf(format.number(r.average_rating), format.number(r.ratings)),
                },
                { head: t.comments, cell: r => <Said share={share} total={r} /> },
              ]}
            />
          </>
        )}
      </Paged>
    </section>
  )
}

function Asset({ total: r, asset }: { total: FeedbackTotal; asset: AssetItem | undefined }) {
  return (
    <Link to={`/assets/${r.gaid}`} className={css.asset}>
      <span className={css.picture} aria-hidden>
        {asset && <Thumbnail asset={asset} small />}
      </span>
      <span className={css.title}>{r.title}</span>
    </Link>
  )
}

/** The feedback of each guest on an asset, loaded on demand. */
function Said({ share, total: r }: { share: Share; total: FeedbackTotal }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={css.said} onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>
        {r.comments > 0 ? format.plural(r.comments, t.oneComment, t.commentCount) : t.byGuest}
        <span className="visually-hidden">{`: ${r.title}`}</span>
      </summary>
      {isOpen && r.gaid && <Guests share={share.id} gaid={r.gaid} />}
    </details>
  )
}

function Guests({ share, gaid }: { share: number; gaid: string }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [page, setPage] = useState(1)
  const list = useFeedback(share, gaid, page)
  if (list.error) return <Notice kind="danger">{list.error.message}</Notice>
  if (!list.data) return <Busy label={t.loading} />
  return (
    <>
      <ul className={css.guests}>
        {list.data.data.map(f => (
          <li key={f.id}>
            <strong>{f.guest.name ?? f.guest.email ?? t.guest(format.number(f.guest.id))}</strong>
            {f.guest.name && f.guest.email && <span className={shared.soft}>{f.guest.email}</span>}
            <span className={shared.soft}>
              {[
                f.picked && t.picked,
                f.rating !== null && t.rated(format.number(f.rating)),
                format.time(f.changed_at),
              ]
                .filter(part => typeof part === 'string')
                .join(' · ')}
            </span>
            {f.comment && <p>{f.comment}</p>}
          </li>
        ))}
      </ul>
      <Pager page={page} last={list.data.meta.last_page} onChange={setPage} />
    </>
  )
}
