import { ChevronDown } from 'lucide-react'
import {
  Select as AriaSelect,
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from 'react-aria-components'
import menu from '../menu/Menu.module.css'
import css from './Field.module.css'

interface Choice<K extends string> {
  id: K
  text: string
}

interface SelectProps<K extends string> {
  label: string
  /** The label is only for screen readers. */
  hideLabel?: boolean
  choices: readonly Choice<K>[]
  value: K | null
  onChange: (value: K) => void
  help?: string
  errors?: string[]
  isDisabled?: boolean
}

/** A choice of one of a few options. */
export function Select<K extends string>({
  label,
  hideLabel,
  choices,
  value,
  onChange,
  help,
  errors,
  isDisabled,
}: SelectProps<K>) {
  const wrong = errors !== undefined && errors.length > 0
  return (
    <AriaSelect
      className={css.field}
      value={value}
      onChange={key => key !== null && onChange(key as K)}
      isInvalid={wrong}
      {...(isDisabled ? { isDisabled } : {})}
    >
      <Label className={hideLabel ? 'visually-hidden' : css.label}>{label}</Label>
      <Button className={css.select}>
        <SelectValue className={css.chosen} />
        <ChevronDown size={16} aria-hidden />
      </Button>
      {help && (
        <Text slot="description" className={css.help}>
          {help}
        </Text>
      )}
      <FieldError className={css.error}>{wrong ? errors.join(' ') : undefined}</FieldError>
      <Popover className={menu.popover}>
        <ListBox items={choices} className={css.list}>
          {c => (
            <ListBoxItem id={c.id} textValue={c.text} className={menu.item}>
              {c.text}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
