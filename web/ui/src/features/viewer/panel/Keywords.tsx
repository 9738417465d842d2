import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, Label, Tag, TagGroup, TagList } from 'react-aria-components'
import { useNavigate } from 'react-router'
import { queryText } from '~/features/assets/query'
import { KeywordInput, words } from '~/features/keywords/KeywordInput'
import { useTexts } from '~/text/context'
import css from './Panel.module.css'
import { ConflictNote } from './Row'
import { texts } from './texts'
import { useEditable } from './useEditable'

interface KeywordsProps {
  value: string[]
  /** Saves the keywords; undefined if read-only. */
  onSave: ((keywords: string[], force?: boolean) => Promise<unknown>) | undefined
}

/** Keywords: add, remove, and search by them. */
export function Keywords({ value, onSave }: KeywordsProps) {
  const t = useTexts(texts)
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const field = useEditable({ name: 'keywords', value, onSave: onSave ?? (async () => {}) })
  const add = async (typed: string) => {
    const more = words(typed).filter(w => !value.some(v => v.toLowerCase() === w.toLowerCase()))
    setText('')
    if (more.length > 0) await field.commit([...value, ...more])
  }
  const search = (keyword: string) =>
    void navigate(`/${queryText({ filters: anyOf('asset.keywords', [keyword]) })}`)
  return (
    <div data-field="keywords">
      {value.length > 0 && (
        <TagGroup
          {...(onSave && { onRemove: keys => void field.commit(value.filter(k => !keys.has(k))) })}
          className={css.tagGroup}
        >
          <Label className="visually-hidden">{t.keywords}</Label>
          <TagList className={css.tags} items={value.map(id => ({ id }))}>
            {({ id }) => (
              <Tag id={id} textValue={id} className={css.tag} onAction={() => search(id)}>
                {id}
                {onSave && (
                  <Button slot="remove" className={css.tagButton} aria-label={`${t.removeKeyword} ${id}`}>
                    <X size={12} />
                  </Button>
                )}
              </Tag>
            )}
          </TagList>
        </TagGroup>
      )}
      {onSave && (
        <KeywordInput
          label={t.addKeywords}
          hideLabel
          placeholder={t.addKeyword}
          value={text}
          onChange={setText}
          errors={field.errors}
          onEnter={typed => void add(typed)}
          onBlur={() => void add(text)}
        />
      )}
      <ConflictNote conflict={field.conflict} theirs={value.join(', ')} />
    </div>
  )
}

/** The filter for assets with any of some values. */
function anyOf(field: string, value: unknown[]) {
  return JSON.stringify({ type: 'filter', field, operator: 'in', value })
}
