import { type CalendarDate, getLocalTimeZone, today } from '@internationalized/date'
import { useState } from 'react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { DateRangeField } from '~/components/field/DateFields'
import { Select } from '~/components/field/Select'
import { ruleAbout, withRule } from '~/features/filters/narrow'
import { texts as filterTexts } from '~/features/filters/texts'
import type { Group } from '~/features/filters/tree'
import { useTexts } from '~/text/context'
import css from './DateFilter.module.css'
import { useDraft } from './draft'
import { texts } from './texts'

const fields = ['asset.capture_date', 'asset.created_at'] as const
type DateField = (typeof fields)[number]
const presets = ['today', 'week', 'month', 'year', 'lastYear'] as const

/** The first and the last day of a preset. */
function spanOf(preset: (typeof presets)[number], now: CalendarDate): [string, string] {
  const first = {
    today: now,
    week: now.subtract({ days: 6 }),
    month: now.subtract({ days: 29 }),
    year: now.set({ month: 1, day: 1 }),
    lastYear: now.subtract({ years: 1 }).set({ month: 1, day: 1 }),
  }[preset]
  const last = preset === 'lastYear' ? first.set({ month: 12, day: 31 }) : now
  return [first.toString(), last.toString()]
}

interface DateFilterProps {
  group: Group | null
  onChange: (group: Group) => void
}

/** The date when pictures were taken or added: a common period, or any other. */
export function DateFilter({ group, onChange }: DateFilterProps) {
  const t = useTexts(texts)
  const f = useTexts(filterTexts)
  const active = fields.find(name => ruleAbout(group, name, ['between']))
  const [chosen, setChosen] = useState<DateField>(active ?? 'asset.capture_date')
  const field = active ?? chosen
  const span = spanIn(ruleAbout(group, field, ['between'])?.value)
  const now = today(getLocalTimeZone())
  const set = (to: [string, string] | null, about: DateField = field) => {
    const others = active && active !== about ? withRule(group, active, ['between'], null) : group
    onChange(withRule(others, about, ['between'], to && { operator: 'between', value: to }))
  }
  const [typed, setTyped] = useDraft(span, set, v => !v || v.every(day => day >= '1000'))
  const preset = presets.find(p => span && String(spanOf(p, now)) === String(span))
  return (
    <div className={css.dates}>
      <Select
        label={t.dateOf}
        hideLabel
        choices={fields.map(name => ({ id: name, text: f.fields[name] ?? name }))}
        value={field}
        onChange={name => {
          setChosen(name)
          if (span) set(span, name)
        }}
      />
      <ToggleButtonGroup
        aria-label={t.date}
        className={css.presets}
        selectionMode="single"
        selectedKeys={preset ? [preset] : []}
        onSelectionChange={keys => {
          const key = presets.find(p => keys.has(p))
          set(key ? spanOf(key, now) : null)
        }}
      >
        {presets.map(p => (
          <ToggleButton key={p} id={p} className={css.preset}>
            {t[p]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <DateRangeField label={t.range} value={typed} onChange={setTyped} />
    </div>
  )
}

function spanIn(value: unknown): [string, string] | null {
  return Array.isArray(value) && value.length === 2 ? [String(value[0]), String(value[1])] : null
}
