import type { Language } from './catalogue'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
const gigabyte = units.indexOf('gigabyte')

/**
 * The locale of a language with a region: the chosen region, otherwise that of the browser's first locale in this
 * language, otherwise that of its first locale with a region.
 */
export function localeOf(language: Language, chosen: string | null, browser: readonly string[]): string {
  const known = browser.flatMap(tag => {
    try {
      return [new Intl.Locale(tag)]
    } catch {
      return []
    }
  })
  const same = known.find(l => l.language === language && l.region)
  const region = chosen ?? (same ?? known.find(l => l.region))?.region
  try {
    return new Intl.Locale(language, region ? { region } : {}).toString()
  } catch {
    return language
  }
}

/**
 * The formats of a locale for dates, numbers and sizes. Instants are displayed in the reader's time zone, capture
 * times as local times of the place.
 */
export function formats(language: Language, locale: string) {
  const number = new Intl.NumberFormat(locale)
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric' })
  const yearMonth = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const localDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const localTime = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const list = new Intl.ListFormat(language, { type: 'conjunction' })
  const plural = new Intl.PluralRules(language)
  const percent = new Intl.NumberFormat(locale, { style: 'percent' })
  return {
    number: (n: number) => number.format(n),
    day: (t: string | Date) => day.format(new Date(t)),
    month: (t: string | Date) => month.format(new Date(t)),
    /** A month such as 2026-03. */
    yearMonth: (m: string) => yearMonth.format(new Date(`${m}-01T00:00:00Z`)),
    /** Seconds in clock format. */
    duration: (seconds: number) => {
      const s = Math.round(seconds)
      const parts = [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60]
      return (parts[0] ? parts : parts.slice(1)).map((n, i) => String(n).padStart(i ? 2 : 1, '0')).join(':')
    },
    /** A fraction of 1 as a percentage. */
    percent: (share: number) => percent.format(share),
    /** An approximate duration. */
    span: (seconds: number) => {
      const [n, unit] =
        seconds < 90
          ? [Math.ceil(seconds), 'second']
          : seconds < 5400
            ? [Math.round(seconds / 60), 'minute']
            : [Math.round(seconds / 3600), 'hour']
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(n)
    },
    time: (t: string | Date) => time.format(new Date(t)),
    /** The day and the time of a local time elsewhere, such as 2026-01-31T22:00:00, regardless of time zones. */
    localDay: (t: string) => localDay.format(new Date(`${t}Z`)),
    localTime: (t: string) => localTime.format(new Date(`${t}Z`)),
    list: (items: string[]) => list.format(items),
    plural: (n: number, one: string, other: string) =>
      (plural.select(n) === 'one' ? one : other).replace('#', number.format(n)),
    /** Bytes in units of 1,000; gigabytes with one decimal, since 10 GiB are 10.7 GB, not 11. */
    size: (bytes: number) => {
      let n = bytes
      let unit = 0
      while (n >= 1000 && unit < units.length - 1) {
        n /= 1000
        unit++
      }
      return new Intl.NumberFormat(locale, {
        style: 'unit',
        unit: units[unit],
        unitDisplay: unit === 0 ? 'long' : 'short',
        maximumFractionDigits: unit > 0 && (n < 10 || unit >= gigabyte) ? 1 : 0,
      }).format(n)
    },
  }
}
