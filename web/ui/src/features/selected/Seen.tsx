import type { ReactNode } from 'react'
import type { Schemas } from '~/api/client'
import { isFollowing, localOf, localTimes } from '~/features/assets/capture'
import { TermNames } from '~/features/viewer/panel/TermsField'
import { textFor } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import type { Preview } from './bulk'
import type { usePresent } from './EditFields'
import css from './Seen.module.css'
import { texts } from './texts'

type Fields = ReturnType<typeof usePresent>

/** The changes of the first assets, field by field. */
export function Seen({ preview: p, fields }: { preview: Preview; fields: Fields }) {
  const t = useTexts(texts)
  const format = useFormat()
  const changed = p.items.filter(i => Object.keys(i.changes).length > 0 || i.error)
  return (
    <>
      <p>
        {p.changed > 0 ? t.willChange(format.number(p.changed)) : t.nothing}{' '}
        {p.unchanged > 0 && t.unchanged(format.number(p.unchanged))}{' '}
        {p.invalid > 0 && t.invalid(format.number(p.invalid))}
      </p>
      {changed.length > 0 && (
        <>
          <p>{t.firstOnes}</p>
          <ul className={css.items}>
            {changed.map(i => (
              <li key={i.gaid} className={css.item}>
                <strong>{i.title}</strong>
                {i.error && <p className={css.error}>{i.error.message}</p>}
                <FieldChanges changes={i.changes} fields={fields} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

interface FieldChangesProps {
  changes: Schemas['PreviewItem']['changes']
  fields: Fields
}

/** The changes of one asset: each field with its current and its new value. */
export function FieldChanges({ changes, fields }: FieldChangesProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const show = (name: string, v: unknown): ReactNode => {
    if (v === null || v === '' || v === undefined) return t.empty
    const field = fields.custom.find(f => `metadata.${f.key}` === name)
    if (field?.vocabulary_id)
      return <TermNames vocabulary={field.vocabulary_id} keys={[v].flat().map(String)} />
    if (Array.isArray(v)) return v.length > 0 ? v.map(String).join(', ') : t.empty
    if (typeof v === 'object')
      return Object.values(v)
        .filter(part => part !== null && part !== '')
        .join(', ')
    if (name === 'asset_class_id') return fields.classes.find(c => c.id === v)?.name ?? String(v)
    if (field?.type === 'date') return format.day(`${String(v)}T00:00`)
    if (localTimes.includes(name)) return format.localTime(localOf(String(v)))
    if (field?.type === 'datetime' || times.includes(name)) return format.time(String(v))
    if (name === 'workflow_status') return textFor(t.statuses, String(v))
    return typeof v === 'boolean' ? (v ? t.yes : t.no) : String(v)
  }
  const names = Object.keys(changes)
  const shown = Object.entries(changes).filter(([name]) => !isFollowing(name, names))
  return (
    <dl className={css.fields}>
      {shown.map(([name, c]) => (
        <div key={name}>
          <dt>{fields.names[name] ?? name.replaceAll('_', ' ')}</dt>
          <dd>
            <del>{show(name, c.from)}</del> → <ins>{show(name, c.to)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const times = ['usage_from', 'usage_until']
