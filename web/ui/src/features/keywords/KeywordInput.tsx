import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import { api, data } from '~/api/client'
import field from '~/components/field/Field.module.css'
import menu from '~/components/menu/Menu.module.css'
import { useFormat } from '~/text/context'
import css from './KeywordInput.module.css'

/** The comma-separated words of a text. */
export function words(text: string): string[] {
  return [
    ...new Set(
      text
        .split(',')
        .map(w => w.trim())
        .filter(Boolean),
    ),
  ]
}

/** Keywords of the library that start with a text, most frequent first. */
function useKeywordsLike(text: string) {
  return useQuery({
    queryKey: ['suggestions', 'keywords', text],
    enabled: text !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { q: text, type: 'keyword', limit: 20 } as const
      return (await data(api.GET('/api/v1/suggestions', { params: { query }, signal }))).data
    },
  })
}

interface KeywordInputProps {
  label: string
  hideLabel?: boolean
  placeholder?: string
  value: string
  onChange: (value: string) => void
  errors?: string[]
  autoFocus?: boolean
  /** Called when a keyword is selected from the list or Enter is pressed. */
  onEnter?: (text: string) => void
  onBlur?: () => void
}

/** A field for comma-separated keywords that suggests those of the library. */
export function KeywordInput({
  label,
  hideLabel,
  placeholder,
  value,
  onChange,
  errors = [],
  ...props
}: KeywordInputProps) {
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const comma = value.lastIndexOf(',')
  const before = value.slice(0, comma + 1)
  const last = value.slice(comma + 1).trim()
  const taken = new Set(words(before).map(w => w.toLowerCase()))
  const found = useKeywordsLike(last)
  const items = last ? (found.data ?? []).filter(s => !taken.has(s.text.toLowerCase())).slice(0, 8) : []
  const choose = (word: string) => {
    const text = before ? `${before} ${word}` : word
    if (props.onEnter) props.onEnter(text)
    else onChange(`${text}, `)
  }
  return (
    <ComboBox
      className={field.field}
      allowsCustomValue
      menuTrigger="input"
      inputValue={value}
      onInputChange={onChange}
      items={items.map(s => ({ id: s.text, count: s.count }))}
      onOpenChange={setOpen}
      selectedKey={null}
      onSelectionChange={key => key !== null && choose(String(key))}
      isInvalid={errors.length > 0}
      autoFocus={props.autoFocus ?? false}
      onBlur={() => props.onBlur?.()}
      onKeyDown={e => {
        if (e.key === 'Enter' && !isOpen && props.onEnter) {
          e.preventDefault()
          props.onEnter(value)
        } else e.continuePropagation()
      }}
    >
      <Label className={hideLabel ? 'visually-hidden' : field.label}>{label}</Label>
      <Input className={field.input} placeholder={placeholder} />
      <FieldError className={field.error}>{errors.length > 0 ? errors.join(' ') : undefined}</FieldError>
      <Popover className={menu.popover}>
        <ListBox<{ id: string; count?: number | undefined }>>
          {item => (
            <ListBoxItem id={item.id} textValue={item.id} className={menu.item}>
              {item.id}
              {item.count !== undefined && <span className={css.count}>{format.number(item.count)}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}
