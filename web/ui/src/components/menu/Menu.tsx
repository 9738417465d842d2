import type { ReactElement, ReactNode } from 'react'
import {
  MenuItem as AriaItem,
  Menu as AriaMenu,
  type MenuItemProps,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components'
import css from './Menu.module.css'

/** A menu that a button opens; the button comes first, then the items. */
export function Menu({
  button,
  label,
  children,
}: {
  button: ReactElement
  label?: string
  children: ReactNode
}) {
  return (
    <MenuTrigger>
      {button}
      <Popover className={css.popover} placement="bottom end">
        <AriaMenu aria-label={label}>{children}</AriaMenu>
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
      {icon}
      {children}
      {keys && <kbd className={css.keys}>{keys}</kbd>}
    </AriaItem>
  )
}

export function MenuLine() {
  return <Separator className={css.line} />
}
