import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { endingDays } from '~/features/assets/usage'
import type { Operator } from '~/features/filters/fields'
import { ruleAbout, withRule } from '~/features/filters/narrow'
import type { Group } from '~/features/filters/tree'
import { useTexts } from '~/text/context'
import css from './DateFilter.module.css'
import { texts } from './texts'

interface Choice {
  field: string
  operator: Operator
  value: unknown
}

/** Common filters on usage periods. The dates are relative, in saved searches too. */
const choices = {
  ending7: { field: 'asset.usage_until', operator: 'between', value: ['now', 'now+7d'] },
  ending30: { field: 'asset.usage_until', operator: 'between', value: ['now', `now+${endingDays}d`] },
  expired: { field: 'asset.usage_until', operator: 'less_than_or_equal', value: 'now' },
  upcoming: { field: 'asset.usage_from', operator: 'greater_than', value: 'now' },
} as const satisfies Record<string, Choice>
const ids = Object.keys(choices) as (keyof typeof choices)[]

function askedIn(group: Group | null) {
  return ids.find(id => {
    const { field, operator, value } = choices[id]
    return String(ruleAbout(group, field, [operator])?.value) === String(value)
  })
}

/** Whether a filter is about the start or end of usage periods. */
export const asksUsage = (group: Group | null) => askedIn(group) !== undefined

/** Usage periods that end soon, have ended, or have not started. */
export function UsageFilter({ group, onChange }: { group: Group | null; onChange: (group: Group) => void }) {
  const t = useTexts(texts)
  const asked = askedIn(group)
  const set = (id: keyof typeof choices | undefined) => {
    const old = asked && choices[asked]
    const left = old ? withRule(group, old.field, [old.operator], null) : group
    const to = id && choices[id]
    if (to) onChange(withRule(left, to.field, [to.operator], { operator: to.operator, value: to.value }))
    else if (left) onChange(left)
  }
  return (
    <div className={css.dates}>
      <ToggleButtonGroup
        aria-label={t.usage}
        className={css.presets}
        selectionMode="single"
        selectedKeys={asked ? [asked] : []}
        onSelectionChange={keys => set(ids.find(id => keys.has(id)))}
      >
        {ids.map(id => (
          <ToggleButton key={id} id={id} className={css.preset}>
            {t.usages[id]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
    </div>
  )
}
