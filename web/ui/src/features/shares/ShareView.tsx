import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { CopyField } from '~/components/copy/CopyField'
import { useCollection } from '~/features/collections/collections'
import { useFormat, useTexts } from '~/text/context'
import { AccessLog } from './AccessLog'
import { Feedback } from './Feedback'
import { HandedIn, useTakes } from './HandedIn'
import { texts as handInTexts } from './handInTexts'
import { State, useContent, useCounts } from './Parts'
import css from './Shares.module.css'
import type { Share } from './shares'
import { texts } from './texts'

/** A share: its content, its access, and the actions of guests. */
export function ShareView({ share: s }: { share: Share }) {
  const t = useTexts(texts)
  const th = useTexts(handInTexts)
  const asks = s.type === 'upload'
  const plays = s.type === 'embed'
  const [video] = s.gaids
  const access = useAccess()(s)
  const takes = useTakes()(s)
  const leaves = useLeaves()(s)
  const format = useFormat()
  const { views, downloads } = useCounts()(s)
  const content = useContent()(s)
  const created = format.time(s.created_at)
  return (
    <>
      {!s.revoked_at && (
        <div className={css.link}>
          <CopyField label={t.link} value={s.url} />
        </div>
      )}
      <dl className={css.facts}>
        <Fact name={t.state}>
          <State share={s} />
        </Fact>
        <Fact name={asks ? th.into : t.shows}>
          {s.collection_id ? (
            <CollectionLink id={s.collection_id} otherwise={content} />
          ) : plays && video ? (
            <Link to={`/assets/${video}`}>{content}</Link>
          ) : (
            content
          )}
        </Fact>
        {s.type === 'review' && <Fact name={t.asks}>{t.asksFeedback}</Fact>}
        <Fact name={t.access}>{access}</Fact>
        {!plays && <Fact name={asks ? th.limits : t.leaves}>{asks ? takes : leaves}</Fact>}
        <Fact name={t.counts}>{downloads ? format.list([views, downloads]) : views}</Fact>
        <Fact name={t.lastAccess}>
          {s.last_accessed_at ? format.time(s.last_accessed_at) : t.notAccessed}
        </Fact>
        <Fact name={t.created}>{s.created_by ? t.createdBy(s.created_by.name, created) : created}</Fact>
      </dl>
      {s.type === 'review' && <Feedback share={s} key={`feedback ${s.id}`} />}
      {asks && <HandedIn share={s} key={`files ${s.id}`} />}
      {plays ? <p className={css.soft}>{t.embedNotRecorded}</p> : <AccessLog share={s} key={s.id} />}
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function CollectionLink({ id, otherwise }: { id: number; otherwise: string }) {
  const { data } = useCollection(id)
  return <Link to={`/collections/${id}`}>{data?.name ?? otherwise}</Link>
}

/** The access requirements. */
function useAccess() {
  const t = useTexts(texts)
  const format = useFormat()
  return ({ access: a, ...s }: Share) => {
    const named = (a.emails?.length ?? 0) + (a.email_domains?.length ?? 0) > 0
    const parts = [
      s.has_password && t.withPassword,
      named ? t.withEmails : a.require_email && t.withEmail,
      (a.ip_ranges?.length ?? 0) > 0 && t.fromNetworks,
      a.require_terms && t.withTerms,
    ].filter(part => typeof part === 'string')
    return [t.anyone, ...(parts.length > 0 ? [format.list(parts)] : [])].join(', ')
  }
}

/** The permitted downloads. */
function useLeaves() {
  const t = useTexts(texts)
  const format = useFormat()
  return (s: Share) =>
    [
      t.pictures,
      s.max_resolution !== null && t.upTo(format.number(s.max_resolution)),
      s.watermark && (s.watermark.text ? t.withWatermark(s.watermark.text) : t.withLogo),
      s.allow_download && t.downloadsAllowed,
      s.allow_original && t.originals,
      s.include_metadata && t.withMetadata,
    ]
      .filter(part => typeof part === 'string')
      .join(' · ')
}
