import { type FilterField, type Operator, operators, shapeOf } from './fields'

export interface Rule {
  kind: 'rule'
  id: number
  field: string
  operator: Operator
  /** In the document's form; undefined if absent. */
  value: unknown
}

export interface Group {
  kind: 'group'
  id: number
  any: boolean // OR instead of AND
  /** None of the rules may match; `any` is ignored then. */
  not?: boolean
  rules: Node[]
  /** The document is a single rule without a group. */
  bare?: boolean
}

export type Node = Rule | Group

/** Limits of a filter document. */
export const deepest = 10 // nested groups
export const mostRules = 200

let lastID = 0
const newID = () => ++lastID

export function newRule(field: FilterField): Rule {
  const operator = operators(field.kind)[0] ?? 'equals'
  return { kind: 'rule', id: newID(), field: field.name, operator, value: emptyValue(operator, field) }
}

export function ruleOf(field: string, operator: Operator, value: unknown): Rule {
  return { kind: 'rule', id: newID(), field, operator, value }
}

export function newGroup(any: boolean, rules: Node[] = []): Group {
  return { kind: 'group', id: newID(), any, rules }
}

/** The parts of a rule's value: the value itself and, for usage in a period, its last days. */
export function usesOf(value: unknown): { value?: unknown; days?: unknown } {
  return value && typeof value === 'object' && 'days' in value ? value : { value }
}

/** The value of a rule about usage in the last days, or about all usage if there are none. */
export function usesIn(value: unknown, days: unknown): unknown {
  return days === undefined || days === '' ? value : { value, days }
}

/** The initial value of a rule. */
export function emptyValue(operator: Operator, field: FilterField): unknown {
  switch (shapeOf(operator, field.kind)) {
    case 'none':
      return undefined
    case 'many':
      return []
    case 'two':
      return ['', '']
  }
  if (field.kind === 'enum') return field.words?.[0] ?? ''
  if (field.kind === 'colors') return '#1e90ff'
  if (field.kind === 'boolean' || field.kind === 'flag') return true
  return ''
}

/** The error in a filter document's text. */
export type Problem = 'json' | 'shape' | 'deep' | 'many'

/** Parses a filter document, or returns its error. The server validates fields and values. */
export function parseFilter(text: string): Group | Problem {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return 'json'
  }
  const count = { rules: 0 }
  const node = read(raw, 1, count)
  if (typeof node === 'string') return node
  return node.kind === 'group' ? node : { ...newGroup(false, [node]), bare: true }
}

/** Parses a filter document; null if absent or invalid. */
export function readFilter(text: string | undefined): Group | null {
  if (!text) return null
  const group = parseFilter(text)
  return typeof group === 'string' ? null : group
}

const members = { group: ['type', 'operator', 'rules'], filter: ['type', 'field', 'operator', 'value'] }

function read(v: unknown, depth: number, count: { rules: number }): Node | Problem {
  if (typeof v !== 'object' || v === null) return 'shape'
  const o = v as Record<string, unknown>
  if (o.type !== 'group' && o.type !== 'filter') return 'shape'
  if (!Object.keys(o).every(k => members[o.type as 'group' | 'filter'].includes(k))) return 'shape'
  if (o.type === 'filter') {
    if (typeof o.field !== 'string' || typeof o.operator !== 'string') return 'shape'
    return ++count.rules > mostRules ? 'many' : ruleOf(o.field, o.operator as Operator, o.value)
  }
  if (!Array.isArray(o.rules) || !['and', 'or', 'not'].includes(o.operator as string)) return 'shape'
  if (depth > deepest) return 'deep'
  const rules: Node[] = []
  for (const r of o.rules) {
    const node = read(r, depth + 1, count)
    if (typeof node === 'string') return node
    rules.push(node)
  }
  const group = newGroup(o.operator === 'or', rules)
  return o.operator === 'not' ? { ...group, not: true } : group
}

/** The filter document of a group. */
export function documentOf(group: Group): unknown {
  const only = isBare(group) ? group.rules[0] : undefined
  return write(only ?? group)
}

/** Whether a document is a single rule without a group, whose path is that of the document. */
export function isBare(group: Group): boolean {
  return group.bare === true && group.rules.length === 1 && group.rules[0]?.kind === 'rule'
}

/** Encodes the filter document of a group; empty without rules. */
export function writeFilter(group: Group): string {
  return group.rules.length === 0 ? '' : JSON.stringify(documentOf(group))
}

function write(n: Node): unknown {
  if (n.kind === 'group') {
    const operator = n.not ? 'not' : n.any ? 'or' : 'and'
    return { type: 'group', operator, rules: n.rules.map(write) }
  }
  const rule: Record<string, unknown> = { type: 'filter', field: n.field, operator: n.operator }
  if (n.value !== undefined) rule.value = n.value
  return rule
}

/** Replaces a node in a tree, or removes it for null. */
export function replaced(group: Group, id: number, by: Node | null): Group {
  const rules = group.rules.flatMap<Node>(n => {
    if (n.id === id) return by ? [by] : []
    return [n.kind === 'group' ? replaced(n, id, by) : n]
  })
  return { ...group, rules }
}

/** The number of rules in a group, including nested groups. */
export function countRules(group: Group): number {
  return group.rules.reduce((n, r) => n + (r.kind === 'group' ? countRules(r) : 1), 0)
}

/** Whether all rules of a group are complete, so that it can be evaluated. */
export function isComplete(group: Group): boolean {
  return group.rules.every(r => (r.kind === 'group' ? isComplete(r) : isFilled(r)))
}

/** Whether a rule has the value that its operator needs. */
function isFilled({ operator, value: whole }: Rule): boolean {
  const { value } = usesOf(whole)
  if (operator === 'is_empty' || operator === 'is_not_empty') return true
  if (Array.isArray(value)) return value.length > 0 && value.every(v => v !== '' && v !== null)
  return value !== undefined && value !== null && value !== ''
}

/** The props of the editor of a node. */
export interface NodeProps {
  path: string
  /** The displayed number: 2.1 is the first in the second. */
  number: string
  errors: Record<string, string[]>
  onChange: (node: Node | null) => void
}
