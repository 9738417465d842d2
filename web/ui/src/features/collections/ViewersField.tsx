import { X } from 'lucide-react'
import { useState } from 'react'
import {
  Button,
  ComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Tag,
  TagGroup,
  TagList,
} from 'react-aria-components'
import field from '~/components/field/Field.module.css'
import menu from '~/components/menu/Menu.module.css'
import { useTexts } from '~/text/context'
import { useUserNames } from './collections'
import { texts } from './texts'
import css from './Viewers.module.css'

interface ViewersFieldProps {
  value: readonly number[]
  onChange: (ids: readonly number[]) => void
  errors: Record<string, string[]>
}

/** The people who may view a restricted collection, selected by name. */
export function ViewersField({ value, onChange, errors }: ViewersFieldProps) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  const known = useUserNames({ ids: value })
  const found = useUserNames({ q: text })
  const names = new Map([...(known.data ?? []), ...(found.data ?? [])].map(u => [u.id, u.name]))
  const wrong = Object.entries(errors).flatMap(([k, v]) => (k.startsWith('viewer_ids') ? v : []))
  return (
    <div className={css.field}>
      {value.length > 0 && (
        <TagGroup onRemove={keys => onChange(value.filter(id => !keys.has(String(id))))}>
          <Label className="visually-hidden">{t.viewers}</Label>
          <TagList
            className={css.tags}
            items={value.map(id => ({ id: String(id), name: names.get(id) ?? '…' }))}
          >
            {u => (
              <Tag id={u.id} textValue={u.name} className={css.tag}>
                {u.name}
                <Button slot="remove" className={css.remove} aria-label={t.removeViewer(u.name)}>
                  <X size={14} />
                </Button>
              </Tag>
            )}
          </TagList>
        </TagGroup>
      )}
      <ComboBox
        className={field.field}
        items={(found.data ?? []).filter(u => !value.includes(u.id))}
        inputValue={text}
        onInputChange={setText}
        value={null}
        onChange={key => {
          if (key === null) return
          onChange([...value, Number(key)])
          setText('')
        }}
        isInvalid={wrong.length > 0}
        menuTrigger="focus"
        allowsEmptyCollection
      >
        <Label className={field.label}>{t.addViewer}</Label>
        <Input className={field.input} />
        <FieldError className={field.error}>{wrong.join(' ')}</FieldError>
        <Popover className={menu.popover}>
          <ListBox className={field.list} renderEmptyState={() => <p className={css.none}>{t.nobody}</p>}>
            {(u: { id: number; name: string }) => (
              <ListBoxItem id={u.id} textValue={u.name} className={menu.item}>
                {u.name}
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      <span className={field.help}>{t.viewersHelp}</span>
    </div>
  )
}
