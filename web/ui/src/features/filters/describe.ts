import { textFor } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import type { FilterField, Operator } from './fields'
import { useNames } from './names'
import { texts } from './texts'
import { type Rule, usesOf } from './tree'
import { useFields } from './useFields'

/** The name of an operator for a kind of field. */
export function useOperatorWords() {
  const t = useTexts(texts)
  return (o: Operator, { kind }: FilterField) => {
    const ofSet = kind === 'set' || kind === 'ids' || kind === 'terms'
    const special: Partial<Record<Operator, string>> =
      kind === 'date' ? t.dateOperators : ofSet ? t.setOperators : {}
    return special[o] ?? t.operators[o]
  }
}

/** The values of an enum in the reader's language. */
export function useWords() {
  const t = useTexts(texts)
  return (word: string) => textFor(t.words, word, word.replaceAll('_', ' '))
}

const shownValues = 3

/** A rule in words, such as "Keywords: harbour, dawn". */
export function useRuleText(rule: Rule): string {
  const t = useTexts(texts)
  const format = useFormat()
  const { field, name } = useFields()
  const operatorWord = useOperatorWords()
  const word = useWords()
  const about = field(rule.field)
  const values = valuesOf(rule)
  const named = useNames(about, values)
  const say = (v: unknown): string => {
    if (about.kind === 'enum') return word(String(v))
    if (about.kind === 'date') return relative(v, t, format.plural) ?? day(v, format.day)
    if (about.name === 'asset.file_size' && typeof v === 'number') return format.size(v)
    if (typeof v === 'number' && (about.kind === 'number' || about.kind === 'uses')) return format.number(v)
    if (typeof v === 'boolean') return v ? t.yes : t.no
    return named(v)
  }
  const lastDays = usesOf(rule.value).days
  const subject =
    lastDays === undefined
      ? name(about)
      : `${name(about)} (${format.plural(Number(lastDays), t.lastDay, t.lastDays)})`
  const shown = values.slice(0, shownValues).map(say)
  const rest = values.length - shown.length
  const list = rest > 0 ? `${shown.join(', ')} +${format.number(rest)}` : shown.join(', ')
  if (rule.operator === 'in' || (rule.operator === 'equals' && about.kind !== 'set'))
    return `${subject}: ${list}`
  if (rule.operator === 'between') return `${subject}: ${shown.join(' – ')}`
  return [subject, operatorWord(rule.operator, about), list].filter(Boolean).join(' ')
}

function valuesOf(rule: Rule): unknown[] {
  const { value } = usesOf(rule.value)
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  return [typeof value === 'object' && 'color' in value ? value.color : value]
}

/** A relative date in words; undefined for other values. */
function relative(
  v: unknown,
  t: Record<'now' | 'today' | 'oneDay' | 'days', string>,
  plural: (n: number, one: string, other: string) => string,
) {
  const [, from, sign, days] = /^(now|today)(?:([+-])(\d+)d)?$/.exec(String(v)) ?? []
  if (!from) return undefined
  const start = from === 'now' ? t.now : t.today
  return days ? `${start} ${sign === '-' ? '−' : '+'} ${plural(Number(days), t.oneDay, t.days)}` : start
}

/** A date without a time is the same day in every time zone. */
function day(v: unknown, format: (d: Date) => string): string {
  const [y, m, d] = String(v).slice(0, 10).split('-').map(Number)
  return y && m && d ? format(new Date(y, m - 1, d)) : String(v)
}
