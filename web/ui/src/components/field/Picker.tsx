import { X } from 'lucide-react'
import { use, useEffect, useRef, useState } from 'react'
import {
  ComboBox,
  ComboBoxStateContext,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Tag,
  Button as TagButton,
  TagGroup,
  TagList,
} from 'react-aria-components'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import menu from '../menu/Menu.module.css'
import css from './Field.module.css'
import picker from './Picker.module.css'

const texts = catalogue(
  { remove: (what: string) => `Remove ${what}`, chosen: 'Chosen', none: 'Nothing found', more: 'Add' },
  {
    de: {
      remove: (what: string) => `${what} entfernen`,
      chosen: 'Gewählt',
      none: 'Nichts gefunden',
      more: 'Hinzufügen',
    },
  },
)

export interface PickerChoice {
  id: string
  text: string
  /** Distinguishes it from others with the same text, such as its parent. */
  detail?: string
}

interface PickerProps {
  label: string
  /** The label is only for screen readers. */
  hideLabel?: boolean
  values: readonly PickerChoice[]
  onChange: (values: string[]) => void
  /** The options for the typed text. */
  choices: readonly PickerChoice[]
  onSearch: (text: string) => void
  /** Any text can be chosen. */
  allowsNew?: boolean
  type?: 'text' | 'number'
  errors?: string[]
}

/** A selection of several options, found by typing. */
export function Picker({ label, hideLabel = false, values, onChange, choices, ...props }: PickerProps) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  const wrong = (props.errors?.length ?? 0) > 0
  const ids = values.map(v => v.id)
  const search = (typed: string) => {
    setText(typed)
    props.onSearch(typed)
  }
  const add = (id: string) => {
    if (id && !ids.includes(id)) onChange([...ids, id])
    search('')
  }
  const addTyped = () => {
    const typed = text.trim()
    if (props.allowsNew) add(choices.find(c => c.text.toLowerCase() === typed.toLowerCase())?.id ?? typed)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps Escape, which closes the list, from what is around
    <div
      className={css.field}
      onKeyDown={e => {
        const isOpen = e.target instanceof Element && e.target.getAttribute('aria-expanded') === 'true'
        if (e.key === 'Escape' && isOpen) e.stopPropagation()
      }}
    >
      {values.length > 0 && (
        <TagGroup
          aria-label={`${label}: ${t.chosen}`}
          onRemove={keys => onChange(ids.filter(id => !keys.has(id)))}
        >
          <TagList className={picker.tags} items={values} dependencies={[values]}>
            {v => (
              <Tag id={v.id} textValue={v.text} className={picker.tag}>
                <span className={picker.text}>{v.text}</span>
                <TagButton slot="remove" className={picker.remove} aria-label={t.remove(v.text)}>
                  <X size={12} />
                </TagButton>
              </Tag>
            )}
          </TagList>
        </TagGroup>
      )}
      <ComboBox
        className={css.field}
        items={choices.filter(c => !ids.includes(c.id))}
        selectedKey={null}
        onSelectionChange={key => key !== null && add(String(key))}
        inputValue={text}
        onInputChange={search}
        menuTrigger="focus"
        allowsCustomValue
        allowsEmptyCollection={!props.allowsNew && text !== ''}
        isInvalid={wrong}
        onBlur={addTyped}
        onKeyDown={e => {
          const onItem = e.target instanceof Element && e.target.getAttribute('aria-activedescendant')
          if (e.key !== 'Enter' || onItem) return
          e.preventDefault()
          addTyped()
        }}
      >
        <Label className={hideLabel ? 'visually-hidden' : css.label}>{label}</Label>
        <Input
          className={css.input}
          placeholder={t.more}
          inputMode={props.type === 'number' ? 'decimal' : 'text'}
        />
        <Closer chosen={values.length} />
        <FieldError className={css.error}>{wrong ? props.errors?.join(' ') : undefined}</FieldError>
        <Popover className={menu.popover}>
          <ListBox<PickerChoice>
            className={css.list}
            renderEmptyState={() => <span className={picker.none}>{t.none}</span>}
          >
            {c => (
              <ListBoxItem id={c.id} textValue={c.text} className={menu.item}>
                <span className={picker.text}>{c.text}</span>
                {c.detail && <span className={picker.detail}>{c.detail}</span>}
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
    </div>
  )
}

/** Closes the list when an option is chosen. */
function Closer({ chosen }: { chosen: number }) {
  const state = use(ComboBoxStateContext)
  const latest = useRef(state)
  latest.current = state
  const before = useRef(chosen)
  useEffect(() => {
    if (before.current === chosen) return
    before.current = chosen
    const timer = setTimeout(() => latest.current?.close()) // clearing the text reopens it
    return () => clearTimeout(timer)
  }, [chosen])
  return null
}
