import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, Label, Tag, TagGroup, TagList } from 'react-aria-components'
import { ApiError } from '~/api/client'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import css from './Panel.module.css'
import { texts } from './texts'

/** Keywords to add to and take from. */
export function Keywords({
  value,
  onSave,
}: {
  value: string[]
  onSave: (keywords: string[]) => Promise<unknown>
}) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  const [errors, setErrors] = useState<string[]>([])
  const save = async (keywords: string[]) => {
    try {
      await onSave(keywords)
      setErrors([])
      return true
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      setErrors(
        Object.values(e.fields)
          .flat()
          .concat(Object.keys(e.fields).length ? [] : [e.message]),
      )
      return false
    }
  }
  const add = async () => {
    const words = text
      .split(',')
      .map(w => w.trim())
      .filter(w => w && !value.includes(w))
    if (words.length > 0 && !(await save([...value, ...words]))) return
    setText('')
  }
  return (
    <div>
      <TagGroup onRemove={keys => void save(value.filter(k => !keys.has(k)))}>
        <Label className="visually-hidden">{t.keywords}</Label>
        <TagList className={css.tags} items={value.map(id => ({ id }))}>
          {({ id }) => (
            <Tag id={id} textValue={id} className={css.tag}>
              {id}
              <Button slot="remove" className={css.tagButton} aria-label={`${t.removeKeyword} ${id}`}>
                <X size={12} />
              </Button>
            </Tag>
          )}
        </TagList>
      </TagGroup>
      <TextField
        label={t.keywords}
        placeholder={t.addKeyword}
        value={text}
        onChange={setText}
        errors={errors}
        onBlur={() => void add()}
        onKeyDown={e => (e.key === 'Enter' ? void add() : e.continuePropagation())}
      />
    </div>
  )
}
