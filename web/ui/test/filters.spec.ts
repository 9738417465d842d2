import { expect, test } from '@playwright/test'
import { builtIn, type FilterField, operators, shapeOf } from '../src/features/filters/fields'
import { picked, ruleAbout, withPicked, withRule } from '../src/features/filters/narrow'
import { deepest, isComplete, parseFilter, readFilter, writeFilter } from '../src/features/filters/tree'
import { piecesOf } from '../src/features/search/fragments'

// What needs no browser: filter documents as the builder reads and writes them.

/** Numbers that are the same in each run (mulberry32). */
function numbers(seed: number) {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function documents(seed: number) {
  const random = numbers(seed)
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const value = (field: FilterField): unknown => {
    switch (field.kind) {
      case 'number':
        return one([0, -3, 2.5, 1e12])
      case 'ids':
      case 'classes':
        return one([1, 42])
      case 'boolean':
        return one([true, false])
      case 'date':
        return one(['2026-01-31', '2026-01-31T06:12:00.000Z'])
      case 'colors':
        return one<unknown>(['#1e90ff', { color: '#1E90FF', distance: 7 }, { color: '#000000' }])
    }
    return one(['harbour', '“ünïcode” \u{1f600}', '<b>&', ' two words '])
  }
  const rule = () => {
    const field = one(builtIn)
    const operator = one(operators(field.kind))
    const shape = shapeOf(operator, field.kind)
    const base = { type: 'filter', field: one([field.name, 'metadata.my_key', 'asset.not_known']), operator }
    if (shape === 'none') return one<object>([base, { ...base, value: null }])
    if (shape === 'two') return { ...base, value: [value(field), value(field)] }
    return { ...base, value: shape === 'many' ? Array.from({ length: 3 }, () => value(field)) : value(field) }
  }
  const group = (depth: number): object => ({
    type: 'group',
    operator: one(['and', 'or']),
    rules: Array.from(
      { length: depth === 1 ? 1 + Math.floor(random() * 4) : Math.floor(random() * 4) },
      () => (depth < deepest && random() < 0.4 ? group(depth + 1) : rule()),
    ),
  })
  return () => (random() < 0.2 ? rule() : group(1))
}

test('the builder writes the documents that it reads', () => {
  const next = documents(11)
  for (let i = 0; i < 500; i++) {
    const text = JSON.stringify(next())
    const group = parseFilter(text)
    if (typeof group === 'string') expect(group, text).toBe('many')
    else expect(writeFilter(group)).toBe(text)
  }
})

test('what is no filter document is told from what is', () => {
  const nested = (depth: number): object => ({
    type: 'group',
    operator: 'and',
    rules: depth > 1 ? [nested(depth - 1)] : [],
  })
  const rule = { type: 'filter', field: 'asset.title', operator: 'is_empty' }
  const group = (rules: unknown[]) => JSON.stringify({ type: 'group', operator: 'and', rules })
  expect(parseFilter('{')).toBe('json')
  for (const text of [
    '1',
    'null',
    '[]',
    '{}',
    '{"type":"filter"}',
    '{"type":"group","operator":"nor","rules":[]}',
  ]) {
    expect(parseFilter(text), text).toBe('shape')
  }
  expect(parseFilter(group([{ ...rule, more: 1 }]))).toBe('shape')
  expect(parseFilter(group([null]))).toBe('shape')
  expect(parseFilter(JSON.stringify(nested(11)))).toBe('deep')
  expect(typeof parseFilter(JSON.stringify(nested(10)))).toBe('object')
  expect(parseFilter(group(Array(201).fill(rule)))).toBe('many')
  expect(typeof parseFilter(group(Array(200).fill(rule)))).toBe('object')
})

test('facets, colours and dates are rules of one document', () => {
  const own =
    '{"type":"group","operator":"or","rules":[{"type":"filter","field":"asset.width","operator":"less_than","value":9},{"type":"filter","field":"asset.title","operator":"is_empty"}]}'
  const once = withPicked(readFilter(own), 'asset.keywords', ['sea'], 'in')
  const twice = withPicked(once, 'asset.keywords', ['sea', 'harbour'], 'in')
  expect(picked(twice, 'asset.keywords')).toEqual(['sea', 'harbour'])
  expect(JSON.parse(writeFilter(twice)).rules[0]).toEqual(JSON.parse(own)) // what was there still holds as a whole
  const dated = withRule(twice, 'asset.created_at', ['between'], {
    operator: 'between',
    value: ['2026-01-01', '2026-02-01'],
  })
  expect(ruleAbout(dated, 'asset.created_at', ['between'])?.value).toEqual(['2026-01-01', '2026-02-01'])
  const none = withPicked(withRule(dated, 'asset.created_at', ['between'], null), 'asset.keywords', [], 'in')
  expect(JSON.parse(writeFilter(none)).rules).toEqual([JSON.parse(own)])
  expect(
    writeFilter(withPicked(withPicked(null, 'asset.creator', ['Ada'], 'in'), 'asset.creator', [], 'in')),
  ).toBe('')
})

test('a rule without its value is not complete', () => {
  const of = (rule: object) =>
    isComplete(
      readFilter(JSON.stringify({ type: 'filter', ...rule })) ?? {
        kind: 'group',
        id: 0,
        any: false,
        rules: [],
      },
    )
  expect(of({ field: 'asset.title', operator: 'equals', value: '' })).toBe(false)
  expect(of({ field: 'asset.keywords', operator: 'in', value: [] })).toBe(false)
  expect(of({ field: 'asset.width', operator: 'between', value: [1, ''] })).toBe(false)
  expect(of({ field: 'asset.width', operator: 'equals', value: 0 })).toBe(true)
  expect(of({ field: 'metadata.done', operator: 'equals', value: false })).toBe(true)
  expect(of({ field: 'asset.title', operator: 'is_empty' })).toBe(true)
})

test('fragments are text, whatever is in them', () => {
  expect(piecesOf('at <mark>Dawn</mark> &amp; dusk')).toEqual([
    { text: 'at ', isMatch: false },
    { text: 'Dawn', isMatch: true },
    { text: ' & dusk', isMatch: false },
  ])
  expect(piecesOf('&lt;img src=x onerror=alert(1)&gt;<img src=x>')).toEqual([
    { text: '<img src=x onerror=alert(1)><img src=x>', isMatch: false },
  ])
  expect(piecesOf('&amp;lt;')).toEqual([{ text: '&lt;', isMatch: false }])
})
