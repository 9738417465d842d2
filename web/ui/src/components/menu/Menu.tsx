import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import {
  MenuItem as AriaItem,
  Menu as AriaMenu,
  type MenuItemProps,
  type MenuProps,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components'
import css from './Menu.module.css'

/** A menu opened by a button; the button is the first child, then the items follow. */
export function Menu({
  button,
  label,
  children,
  ...selection
}: {
  button: ReactElement
  label?: string
  children: ReactNode
} & Pick<MenuProps<object>, 'selectionMode' | 'selectedKeys' | 'onSelectionChange'>) {
  return (
    <MenuTrigger>
      {button}
      <Popover className={css.popover} placement="bottom end">
        <AriaMenu aria-label={label} className={css.list} {...selection}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

interface ItemProps extends Omit<MenuItemProps, 'className' | 'style' | 'children'> {
  icon?: ReactNode
  danger?: boolean
  keys?: string
  children: string
}

export function MenuItem({ icon, danger = false, keys, children, ...props }: ItemProps) {
  return (
    <AriaItem {...props} textValue={children} className={danger ? `${css.item} ${css.danger}` : css.item}>
      {({ selectionMode, isSelected }) => (
        <>
          {selectionMode !== 'none' && (
            <Check className={isSelected ? undefined : css.unchosen} aria-hidden />
          )}
          {icon}
          {children}
          {keys && <kbd className={css.keys}>{keys}</kbd>}
        </>
      )}
    </AriaItem>
  )
}

export function MenuLine() {
  return <Separator className={css.line} />
}

interface ChoiceProps {
  label: string
  choices: readonly { id: string; text: string }[]
  value: string
  onChange: (value: string) => void
}

/** A section of a menu in which one item is selected. */
export function MenuChoice({ label, choices, value, onChange }: ChoiceProps) {
  return (
    <MenuSection
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={keys => {
        const [key] = keys === 'all' ? [] : keys
        if (key !== undefined) onChange(String(key))
      }}
    >
      {choices.map(c => (
        <MenuItem key={c.id} id={c.id}>
          {c.text}
        </MenuItem>
      ))}
    </MenuSection>
  )
}
