import type { Operator } from './fields'
import { type Group, newGroup, type Rule, ruleOf } from './tree'

/**
 * What the controls beside a result do with its filter document: each has the
 * rule about its field among those that all have to hold.
 */

/** A group whose rules all have to hold, as which a document can be narrowed. */
export function narrowed(group: Group | null): Group {
  if (!group) return newGroup(false)
  if (group.not || (group.any && group.rules.length > 1)) return newGroup(false, [group])
  return { ...group, any: false }
}

/** The rule about a field with one of some operators; undefined when there is none. */
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

/** The values of a field that are asked for, any of which is enough. */
export function picked(group: Group | null, field: string): readonly unknown[] {
  const value = ruleAbout(group, field, picks)?.value
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** The document that asks for one of some values of a field; without values it asks for none. */
export function withPicked(
  group: Group | null,
  field: string,
  values: readonly unknown[],
  operator: Operator,
): Group {
  const value = operator === 'in' ? [...values] : values[0]
  return withRule(group, field, picks, values.length > 0 ? { operator, value } : null)
}

/** The document whose rule about a field is another, or none. */
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

/** The document without one of its rules or groups. */
export function without(group: Group, id: number): Group {
  return { ...group, rules: group.rules.filter(r => r.id !== id) }
}
