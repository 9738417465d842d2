import { lazy, Suspense, useState } from 'react'
import { ButtonLink } from '~/components/button/Button'
import { Segments } from '~/components/button/Segments'
import { DateRangeField } from '~/components/field/DateFields'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useFormat, useTexts } from '~/text/context'
import css from './Analytics.module.css'
import { daysOf, daysTable, lastDays, mostDays, type Overview, type Range, useOverview } from './analytics'
import { Lists } from './Lists'
import { texts } from './texts'

const Chart = lazy(() => import('./Chart'))

/** The usage of the library in a selectable period. */
export function AnalyticsView() {
  const t = useTexts(texts)
  const format = useFormat()
  const [range, setRange] = useState<Range>(() => lastDays(30))
  const isTooLong = daysOf(range) > mostDays
  return (
    <>
      <Period range={range} onChange={setRange} />
      {isTooLong ? (
        <Notice kind="warning">{t.tooLong(format.number(mostDays))}</Notice>
      ) : (
        <Use range={range} />
      )}
    </>
  )
}

const choices = { d7: 7, d30: 30, d90: 90, d365: 365 }
type Choice = keyof typeof choices

function Period({ range, onChange }: { range: Range; onChange: (r: Range) => void }) {
  const t = useTexts(texts)
  const chosen = (Object.keys(choices) as Choice[]).find(c => lastDays(choices[c]).join() === range.join())
  return (
    <div className={css.range}>
      <Segments
        label={t.lately}
        choices={{ d7: t.days7, d30: t.days30, d90: t.days90, d365: t.days365 }}
        value={chosen ?? ('' as Choice)}
        onChange={c => c in choices && onChange(lastDays(choices[c]))}
      />
      <DateRangeField label={t.range} value={range} onChange={r => r && onChange(r)} />
      {daysOf(range) <= mostDays && (
        <ButtonLink href={daysTable(range)} download>
          {t.daysTable}
        </ButtonLink>
      )}
    </div>
  )
}

function Use({ range }: { range: Range }) {
  const t = useTexts(texts)
  const overview = useOverview(range)
  const o = overview.data
  return (
    <>
      {overview.error && <Notice kind="danger">{overview.error.message}</Notice>}
      {!o && !overview.error && <Busy label={t.loading} />}
      {o && (
        <>
          <Totals overview={o} />
          <Suspense fallback={<Busy label={t.loading} />}>
            <div className={css.cards}>
              <Chart title={t.use} days={o.days} names={['views', 'downloads']} />
              <Chart title={t.sharing} days={o.days} names={['visits', 'plays', 'shares']} />
              <Chart title={t.searching} days={o.days} names={['searches', 'searches_without_results']} />
            </div>
          </Suspense>
          <Lists overview={o} range={range} />
        </>
      )}
    </>
  )
}

const counted = [
  'views',
  'downloads',
  'visits',
  'plays',
  'shares',
  'searches',
  'searches_without_results',
] as const

function Totals({ overview: o }: { overview: Overview }) {
  const t = useTexts(texts)
  const format = useFormat()
  const bots = counted.filter(name => o.bots[name] > 0)
  const isEmpty = counted.every(name => o.totals[name] === 0)
  return (
    <section aria-label={t.totals}>
      {isEmpty && <p>{t.nothing}</p>}
      {!isEmpty && (
        <dl className={css.totals}>
          {counted.map(name => (
            <div key={name}>
              <dt>{t[name]}</dt>
              <dd>{format.number(o.totals[name])}</dd>
            </div>
          ))}
        </dl>
      )}
      {bots.length > 0 && (
        <p className={css.soft}>
          {t.bots} – {format.list(bots.map(name => `${t[name]}: ${format.number(o.bots[name])}`))}
        </p>
      )}
    </section>
  )
}
