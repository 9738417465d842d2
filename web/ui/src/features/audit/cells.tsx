import { useTexts } from '~/text/context'
import css from './Audit.module.css'
import type { AuditEntry } from './audit'
import { texts } from './texts'

/** The names of users by id. */
export type UserNames = ReadonlyMap<number, string>

export function Who({ entry: e, names }: { entry: AuditEntry; names: UserNames }) {
  const t = useTexts(texts)
  const user = e.user_id !== null ? (names.get(e.user_id) ?? t.userOf(String(e.user_id))) : ''
  const who = e.method === 'CLI' ? t.command : user || e.account || t.nobody
  return (
    <>
      {who}
      {e.token_id !== null && <span className={css.soft}>, {t.tokenOf(String(e.token_id))}</span>}
    </>
  )
}

export function What({ entry: e }: { entry: AuditEntry }) {
  const t = useTexts(texts)
  if (e.event === 'request') {
    return (
      <span className={css.path}>
        {e.method} {e.path}
      </span>
    )
  }
  return (
    <>
      {t.events[e.event]}
      {(e.target ?? e.account) && <span className={css.soft}>: {e.target ?? e.account}</span>}
      {e.count > 1 && ` × ${e.count}`}
    </>
  )
}

export function StatusCode({ entry: e }: { entry: AuditEntry }) {
  return <span className={e.status !== null && e.status >= 400 ? css.bad : undefined}>{e.status ?? ''}</span>
}
