import { useId } from 'react'
import { Checkbox } from '~/components/field/Checkbox'
import { textFor } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { texts } from './texts'
import css from './Webhooks.module.css'
import { type EventName, eventGroups } from './webhooks'

interface EventPickerProps {
  value: readonly EventName[]
  onChange: (value: EventName[]) => void
  errors: string[]
}

/** The events of a webhook: all, or some types. */
export function EventPicker({ value, onChange, errors }: EventPickerProps) {
  const t = useTexts(texts)
  const id = useId()
  const everything = value.includes('*')
  const toggle = (name: EventName, on: boolean) =>
    onChange(on ? [...value, name] : value.filter(v => v !== name))
  return (
    <div role="group" aria-labelledby={id} className={css.events}>
      <span id={id} className={css.label}>
        {t.events}
      </span>
      <Checkbox isSelected={everything} onChange={on => onChange(on ? ['*'] : [])}>
        {t.everything}
      </Checkbox>
      {!everything &&
        eventGroups.map(([group, names]) => (
          <div key={group} className={css.group} role="group" aria-label={textFor(t.groups, group)}>
            <span>{textFor(t.groups, group)}</span>
            <div className={css.kinds}>
              {names.map(name => (
                <Checkbox key={name} isSelected={value.includes(name)} onChange={on => toggle(name, on)}>
                  {t.kinds[name]}
                </Checkbox>
              ))}
            </div>
          </div>
        ))}
      {errors.length > 0 && (
        <span role="alert" className={css.wrong}>
          {errors.join(' ')}
        </span>
      )}
    </div>
  )
}
