import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { Table } from '~/components/table/Table'
import { useFormat, useLanguage, useTexts } from '~/text/context'
import css from './Analytics.module.css'
import type { DayCounts } from './analytics'
import { texts } from './texts'

type Name = Exclude<keyof DayCounts, 'date'>

/** The colours of the lines, in order, from the design. */
const colours = ['--accent', '--warning', '--success'] as const
const dashes = [[], [6, 4], [2, 3]]
const height = 200

/** A line chart of counts by day, with a table of the same numbers. */
export default function Chart({
  title,
  days,
  names,
}: {
  title: string
  days: readonly DayCounts[]
  names: Name[]
}) {
  const t = useTexts(texts)
  const format = useFormat()
  const total = (name: Name) => days.reduce((sum, d) => sum + d[name], 0)
  const told = names.map(name => {
    const most = days.reduce((a, b) => (b[name] > a[name] ? b : a), days[0] as DayCounts)
    return total(name) === 0
      ? t.none(t[name])
      : t.summary(t[name], format.number(total(name)), format.number(most[name]), shown(format, most.date))
  })
  const [first, last] = [days[0]?.date ?? '', days.at(-1)?.date ?? '']
  const label = [t.chart(title, shown(format, first), shown(format, last)), ...told].join(' ')
  return (
    <section className={css.card}>
      <h2>{title}</h2>
      <ul className={css.legend}>
        {names.map((name, i) => (
          <li key={name}>
            <svg width={28} height={8} aria-hidden>
              <line
                x1={0}
                x2={28}
                y1={4}
                y2={4}
                stroke={`var(${colours[i]})`}
                strokeWidth={3}
                strokeDasharray={dashes[i]?.join(' ')}
              />
            </svg>
            {t[name]}: <strong>{format.number(total(name))}</strong>
          </li>
        ))}
      </ul>
      <Plot label={label} days={days} names={names} />
      <details className={css.behind}>
        <summary>{t.asTable}</summary>
        <div className={css.long}>
          <Table
            label={title}
            isPlain
            rows={days.toReversed()}
            id={d => d.date}
            columns={[
              { head: t.day, short: true, cell: d => shown(format, d.date) },
              ...names.map(name => ({
                head: t[name],
                end: true,
                cell: (d: DayCounts) => format.number(d[name]),
              })),
            ]}
          />
        </div>
      </details>
    </section>
  )
}

/** A day in UTC. At noon UTC, the date is the same nearly everywhere. */
function shown(format: ReturnType<typeof useFormat>, date: string) {
  return date && format.day(`${date}T12:00:00Z`)
}

function Plot({ label, days, names }: { label: string; days: readonly DayCounts[]; names: Name[] }) {
  const box = useRef<HTMLDivElement>(null)
  const { locale } = useLanguage()
  const key = names.join()
  useEffect(() => {
    const at = box.current
    if (!at) return
    let plot: UPlot | undefined
    const draw = () => {
      plot?.destroy()
      plot = drawn(at, days, key.split(',') as Name[], locale)
    }
    draw()
    const size = new ResizeObserver(() => plot?.setSize({ width: at.clientWidth, height }))
    size.observe(at)
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    return () => {
      dark.removeEventListener('change', draw)
      size.disconnect()
      plot?.destroy()
    }
  }, [days, key, locale])
  return <div ref={box} className={css.plot} role="img" aria-label={label} />
}

function drawn(at: HTMLElement, days: readonly DayCounts[], names: Name[], locale: string): UPlot {
  const colour = (name: string) => colourOf(at, name)
  const axis = {
    stroke: colour('--ink-soft'),
    grid: { stroke: colour('--line-colour'), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(at).fontFamily}`,
  }
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const month = new Intl.DateTimeFormat(locale, { month: 'short', year: '2-digit', timeZone: 'UTC' })
  const number = new Intl.NumberFormat(locale, { notation: 'compact' })
  return new UPlot(
    {
      width: at.clientWidth,
      height,
      legend: { show: false },
      cursor: { show: false },
      tzDate: ts => UPlot.tzDate(new Date(ts * 1000), 'Etc/UTC'),
      scales: { y: { range: (_, __, most) => [0, Math.max(4, Math.ceil(most * 1.05))] } },
      axes: [
        {
          ...axis,
          space: 70,
          size: 28,
          values: (_, ticks) => ticks.map(v => (days.length > 120 ? month : day).format(v * 1000)),
          incrs: [1, 2, 7, 14, 30, 61, 91, 122, 182].map(n => n * 86_400),
        },
        { ...axis, size: 44, incrs: whole, values: (_, ticks) => ticks.map(v => number.format(v)) },
      ],
      series: [
        {},
        ...names.map((name, i) => ({
          label: name,
          stroke: colour(colours[i] ?? colours[0]),
          width: 2,
          dash: dashes[i] ?? [],
          points: { show: days.length === 1 },
        })),
      ],
    },
    [days.map(d => Date.parse(d.date) / 1000), ...names.map(name => days.map(d => d[name]))],
    at,
  )
}

/** Axis steps for counts, which have no fractions. */
const whole = Array.from({ length: 16 }, (_, i) => [1, 2, 5].map(n => n * 10 ** i)).flat()

/** A colour of the design for a canvas: the browser chooses between light and dark. */
function colourOf(at: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  at.append(probe)
  const colour = getComputedStyle(probe).color
  probe.remove()
  return colour
}
