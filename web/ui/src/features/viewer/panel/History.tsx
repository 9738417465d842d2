import { useInfiniteQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { isFollowing, localOf, localTimes } from '~/features/assets/capture'
import { useAllFields, useAssetClasses } from '~/features/definitions/all'
import { textFor } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import { CustomValue } from './CustomFields'
import { texts } from './historyTexts'
import css from './Panel.module.css'
import { texts as panel } from './texts'

type Entry = Schemas['AssetHistoryEntry']

const perPage = 25

/** The changes of an asset with old and new values, time and user, newest first. */
export function History({ gaid }: { gaid: string }) {
  const t = useTexts(texts)
  const history = useInfiniteQuery({
    queryKey: ['history', gaid],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/assets/{gaid}/history', {
          params: { path: { gaid }, query: { page: pageParam, per_page: perPage } },
          signal,
        }),
      ),
    getNextPageParam: last =>
      last.meta.current_page < last.meta.last_page ? last.meta.current_page + 1 : undefined,
  })
  if (history.error) return <Notice kind="danger">{history.error.message}</Notice>
  if (!history.data) return <Busy label={t.loading} />
  const entries = history.data.pages.flatMap(p => p.data)
  if (entries.length === 0) return <p className={css.soft}>{t.noHistory}</p>
  return (
    <>
      <ol className={css.history}>
        {entries.map(e => (
          <li key={e.id}>
            <HistoryEntry entry={e} />
          </li>
        ))}
      </ol>
      {history.hasNextPage && (
        <Button isPending={history.isFetchingNextPage} onPress={() => void history.fetchNextPage()}>
          {t.older}
        </Button>
      )}
      <p className={css.soft}>{t.historyHelp}</p>
    </>
  )
}

function HistoryEntry({ entry }: { entry: Entry }) {
  const t = useTexts(texts)
  const format = useFormat()
  const who = entry.actor?.name ?? t.theServer
  const names = entry.changes.map(c => c.field)
  const changes = entry.changes.filter(c => !isFollowing(c.field, names))
  return (
    <>
      <p className={css.event}>
        <strong>{t.events[entry.type] ?? entry.type}</strong>
        <span>
          {who}
          {entry.token_name && ` (${entry.token_name})`} ·{' '}
          <time dateTime={entry.at}>{format.time(entry.at)}</time>
        </span>
      </p>
      {changes.length > 0 && (
        <dl className={css.changes}>
          {changes.map(c => (
            <div key={c.field}>
              <dt>
                <Name name={c.field} />
              </dt>
              <dd>
                {isNothing(c.from) ? (
                  t.nothing
                ) : (
                  <del>
                    <Value name={c.field} value={c.from} />
                  </del>
                )}{' '}
                →{' '}
                <ins>
                  <Value name={c.field} value={c.to} />
                </ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

const isNothing = (v: unknown) =>
  v === null || v === undefined || v === '' || (Array.isArray(v) && v.length === 0)

/** The custom field of a change, if it exists. */
function useCustom(name: string) {
  const { data } = useAllFields()
  return data?.find(f => `metadata.${f.key}` === name)
}

function Name({ name }: { name: string }) {
  const t = useTexts(texts)
  const custom = useCustom(name)
  return custom?.label ?? textFor(t.fields, name, name.replace(/^metadata\./, '').replaceAll('_', ' '))
}

const times = ['usage_from', 'usage_until', 'deleted_at']

/** A value of a change in readable form. */
function Value({ name, value: v }: { name: string; value: unknown }) {
  const t = useTexts(texts)
  const format = useFormat()
  const custom = useCustom(name)
  const classes = useAssetClasses()
  const p = useTexts(panel)
  if (isNothing(v)) return t.nothing
  if (custom) return <CustomValue field={custom} value={v} />
  if (localTimes.includes(name)) return format.localTime(localOf(String(v)))
  if (times.includes(name)) return format.time(String(v))
  if (name === 'workflow_status') return textFor(p.statuses, String(v))
  if (name === 'asset_class_id') return classes.data?.find(c => c.id === v)?.name ?? String(v)
  return told(v, t.nothing)
}

/** A value of a change in words. */
function told(v: unknown, nothing: string): string {
  if (v === null || v === undefined || v === '') return nothing
  if (Array.isArray(v)) return v.length === 0 ? nothing : v.map(x => told(x, nothing)).join(', ')
  if (typeof v !== 'object') return String(v)
  return Object.entries(v)
    .filter(([, x]) => x !== null)
    .map(([k, x]) => `${k}: ${told(x, nothing)}`)
    .join(', ')
}
