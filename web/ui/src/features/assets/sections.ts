import type { Outline } from './query'

/** A section of a list with a heading: a month, or a year such as 2024; null for assets without a date. */
export interface Section {
  period: string | null
  index: number
  count: number
}

const fewest = 6 // minimum average number of assets per month for month headings

/** The sections of a list that is sorted by a date: months, or years if months have few assets. */
export function sectionsOf({ months, total }: Pick<Outline, 'months' | 'total'>): Section[] | null {
  if (!months) return null
  const byMonth = total >= fewest * months.length
  const sections: Section[] = []
  for (const { month, index, count } of months) {
    const period = byMonth ? month : (month?.slice(0, 4) ?? null)
    const last = sections.at(-1)
    if (last && last.period === period) last.count += count
    else sections.push({ period, index, count })
  }
  return sections
}
