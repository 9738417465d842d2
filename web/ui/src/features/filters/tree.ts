import { type FilterField, type Operator, operators, shapeOf } from './fields'

export interface Rule {
  kind: 'rule'
  id: number
  field: string
  operator: Operator
  value: unknown
}

export interface Group {
  kind: 'group'
  id: number
  any: boolean // one of the rules is enough
  rules: Node[]
}

export type Node = Rule | Group

let lastID = 0
const newID = () => ++lastID

export function newRule(field: FilterField): Rule {
  const operator = operators(field.kind)[0] ?? 'equals'
  return { kind: 'rule', id: newID(), field: field.name, operator, value: emptyValue(operator, field) }
}

export function newGroup(any: boolean, rules: Node[] = []): Group {
  return { kind: 'group', id: newID(), any, rules }
}

/** The value that a rule begins with. */
export function emptyValue(operator: Operator, field: FilterField): unknown {
  switch (shapeOf(operator, field.kind)) {
    case 'none':
      return null
    case 'many':
      return []
    case 'two':
      return ['', '']
  }
  if (field.kind === 'enum') return field.words?.[0] ?? ''
  if (field.kind === 'colors') return '#1e90ff'
  if (field.kind === 'boolean') return true
  return ''
}

/** Reads a filter document; null for what is none. A single rule becomes a group of one. */
export function readFilter(text: string | undefined): Group | null {
  if (!text) return null
  try {
    const node = read(JSON.parse(text))
    if (!node) return null
    return node.kind === 'group' ? node : newGroup(false, [node])
  } catch {
    return null
  }
}

function read(v: unknown): Node | null {
  if (typeof v !== 'object' || v === null) return null
  const o = v as Record<string, unknown>
  if (o.type === 'group' && Array.isArray(o.rules)) {
    const rules = o.rules.map(read)
    if (rules.includes(null)) return null
    return newGroup(o.operator === 'or', rules as Node[])
  }
  if (o.type === 'filter' && typeof o.field === 'string' && typeof o.operator === 'string') {
    return {
      kind: 'rule',
      id: newID(),
      field: o.field,
      operator: o.operator as Operator,
      value: o.value ?? null,
    }
  }
  return null
}

/** Writes the filter document of a group; empty without rules. */
export function writeFilter(group: Group): string {
  return group.rules.length === 0 ? '' : JSON.stringify(write(group))
}

function write(n: Node): unknown {
  if (n.kind === 'group') return { type: 'group', operator: n.any ? 'or' : 'and', rules: n.rules.map(write) }
  const rule: Record<string, unknown> = { type: 'filter', field: n.field, operator: n.operator }
  if (n.value !== null) rule.value = n.value
  return rule
}

/** Replaces a node in a tree; with null it is taken out. */
export function replaced(group: Group, id: number, by: Node | null): Group {
  const rules = group.rules.flatMap<Node>(n => {
    if (n.id === id) return by ? [by] : []
    return [n.kind === 'group' ? replaced(n, id, by) : n]
  })
  return { ...group, rules }
}
