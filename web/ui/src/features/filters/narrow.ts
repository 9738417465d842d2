import type { Operator } from './fields'
import { type Group, newGroup, type Rule, ruleOf } from './tree'

/**
 * How the controls beside a result edit its filter document: each has the rule about its field in the top-level AND
 * group.
 */

/** A top-level AND group that a document can be narrowed with. */
export function narrowed(group: Group | null): Group {
  if (!group) return newGroup(false)
  if (group.not || (group.any && group.rules.length > 1)) return newGroup(false, [group])
  return { ...group, any: false }
}

/** The rule about a field with one of the given operators; undefined if there is none. */
export function ruleAbout(
  group: Group | null,
  field: string,
  operators: readonly Operator[],
): Rule | undefined {
  if (!group || group.not || (group.any && group.rules.length > 1)) return undefined
  const found = group.rules.find(
    r => r.kind === 'rule' && r.field === field && operators.includes(r.operator),
  )
  return found?.kind === 'rule' ? found : undefined
}

const picks: readonly Operator[] = ['in', 'equals']

/** The selected values of a field, any of which may match. */
export function picked(group: Group | null, field: string): readonly unknown[] {
  const value = ruleAbout(group, field, picks)?.value
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** The document that selects values of a field; without values, it has no rule about the field. */
export function withPicked(
  group: Group | null,
  field: string,
  values: readonly unknown[],
  operator: Operator,
): Group {
  const value = operator === 'in' ? [...values] : values[0]
  return withRule(group, field, picks, values.length > 0 ? { operator, value } : null)
}

/** The document with the rule about a field replaced or removed. */
export function withRule(
  group: Group | null,
  field: string,
  operators: readonly Operator[],
  by: { operator: Operator; value: unknown } | null,
): Group {
  const top = narrowed(group)
  const there = ruleAbout(top, field, operators)
  if (!there) return by ? { ...top, rules: [...top.rules, ruleOf(field, by.operator, by.value)] } : top
  return {
    ...top,
    rules: top.rules.flatMap(r => (r.id !== there.id ? [r] : by ? [{ ...there, ...by }] : [])),
  }
}

/** The document without a rule or group. */
export function without(group: Group, id: number): Group {
  return { ...group, rules: group.rules.filter(r => r.id !== id) }
}
