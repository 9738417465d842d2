import { CodeXml, Share2 } from 'lucide-react'
import { Link, useSearchParams } from 'react-router'
import { Segments } from '~/components/button/Segments'
import { Paged } from '~/components/pager/Paged'
import { Empty } from '~/components/state/Empty'
import { useUser } from '~/features/session/session'
import { useFormat, useTexts } from '~/text/context'
import { State, useContent, useCounts } from './Parts'
import { ShareMenu } from './ShareMenu'
import css from './Shares.module.css'
import { type Share, useShares } from './shares'
import { texts } from './texts'

/** The visible shares, newest first. */
export function ShareList() {
  const t = useTexts(texts)
  const [params, setParams] = useSearchParams()
  const page = Math.max(1, Number(params.get('page')) || 1)
  const kind = params.get('type') === 'embed' ? 'players' : 'pages'
  const ofPlayers = kind === 'players'
  const list = useShares(page, ofPlayers)
  const show = (to: { kind: typeof kind; page: number }) =>
    setParams({
      ...(to.kind === 'players' && { type: 'embed' }),
      ...(to.page > 1 && { page: String(to.page) }),
    })
  return (
    <>
      <div className={css.guest}>
        <Segments
          label={t.kinds}
          choices={t.kindNames}
          value={kind}
          onChange={chosen => show({ kind: chosen, page: 1 })}
        />
      </div>
      <Paged
        list={list}
        loading={t.loading}
        empty={
          <Empty icon={ofPlayers ? <CodeXml /> : <Share2 />} title={ofPlayers ? t.noPlayers : t.none}>
            <p>{ofPlayers ? t.noPlayersHelp : t.noneHelp}</p>
          </Empty>
        }
        page={page}
        onPage={p => show({ kind, page: p })}
      >
        {rows => (
          <ul className={css.list} aria-label={t.shares}>
            {rows.map(s => (
              <Row key={s.id} share={s} />
            ))}
          </ul>
        )}
      </Paged>
    </>
  )
}

function Row({ share: s }: { share: Share }) {
  const t = useTexts(texts)
  const format = useFormat()
  const isMine = useUser().id === s.created_by?.id
  const created = format.time(s.created_at)
  const { views, downloads } = useCounts()(s)
  const content = useContent()(s)
  return (
    <li className={css.row}>
      <div className={css.part}>
        <Link to={`/shares/${s.id}`} className={css.name}>
          {s.name}
        </Link>
        <span>{content}</span>
      </div>
      <div className={css.part}>
        <State share={s} />
      </div>
      <div className={css.part}>
        <span>{views}</span>
        {downloads && <span>{downloads}</span>}
      </div>
      <div className={css.part}>
        <span>
          {isMine || !s.created_by ? t.createdAt(created) : t.createdByAt(s.created_by.name, created)}
        </span>
        <span>{s.last_accessed_at ? t.lastAccessAt(format.time(s.last_accessed_at)) : t.notAccessed}</span>
      </div>
      <ShareMenu share={s} />
    </li>
  )
}
