import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor, Smartphone } from 'lucide-react'
import { api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useFormat, useTexts } from '~/text/context'
import css from './Account.module.css'
import { namesOf } from './browser'
import { texts } from './texts'

type Session = Schemas['Session']

const key = ['sessions'] as const

/** The user's sessions, with a button to end each. */
export function Sessions() {
  const t = useTexts(texts)
  const client = useQueryClient()
  const sessions = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/sessions', { params: { query: { per_page: 100 } }, signal }))).data,
  })
  const end = useMutation({
    mutationFn: async (id: number | null) => {
      if (id === null) await api.DELETE('/api/v1/sessions')
      else await api.DELETE('/api/v1/sessions/{session}', { params: { path: { session: id } } })
    },
    onSuccess: (_, id) => toast({ text: id === null ? t.endedOthers : t.ended }),
    onError: e => toast({ text: e.message }),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  })
  return (
    <section className={css.section} aria-labelledby="sessions">
      <div className={css.head}>
        <h2 id="sessions">{t.sessions}</h2>
        {sessions.data && sessions.data.length > 1 && (
          <Button onPress={() => end.mutate(null)} isPending={end.isPending}>
            {t.endOthers}
          </Button>
        )}
      </div>
      <p className={css.help}>{t.sessionsHelp}</p>
      {sessions.error && <Notice kind="danger">{sessions.error.message}</Notice>}
      {sessions.isPending && <Busy label={t.loading} />}
      {sessions.data && (
        <ul className={css.list}>
          {sessions.data.map(s => (
            <Row key={s.id} session={s} onEnd={() => end.mutate(s.id)} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Row({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const t = useTexts(texts)
  const format = useFormat()
  const { browser, system } = namesOf(session.user_agent)
  const what = browser && system ? t.on(browser, system) : (browser ?? system ?? t.unknown)
  const isPhone = system === 'Android' || system === 'iPhone'
  return (
    <li className={css.session}>
      {isPhone ? <Smartphone aria-hidden /> : <Monitor aria-hidden />}
      <div className={css.what}>
        {what}
        {!session.is_current && <p>{t.used(format.time(session.last_used_at))}</p>}
        <p>{t.from(session.ip, format.day(session.created_at), format.day(session.expires_at))}</p>
      </div>
      {session.is_current ? (
        <span className={css.here}>{t.here}</span>
      ) : (
        <Button look="quiet" aria-label={t.endWhat(what)} onPress={onEnd}>
          {t.end}
        </Button>
      )}
    </li>
  )
}
