import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import css from './Segments.module.css'

interface SegmentsProps<T extends string> {
  label: string
  /** The labels of the options, in order. */
  choices: Record<T, string>
  value: T
  onChange: (value: T) => void
}

/** A few options side by side, one of which is selected. */
export function Segments<T extends string>({ label, choices, value, onChange }: SegmentsProps<T>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className={css.group}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={keys => onChange([...keys][0] as T)}
    >
      {(Object.keys(choices) as T[]).map(choice => (
        <ToggleButton key={choice} id={choice} className={css.segment}>
          {choices[choice]}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}
