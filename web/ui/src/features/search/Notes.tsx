import { useQuery } from '@tanstack/react-query'
import { type AssetSource, assetPage } from '~/features/assets/query'
import { textFor } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import css from './Notes.module.css'
import { texts } from './texts'

/** Notes about the result: unknown prefixes, and whether semantic search is still being prepared. */
export function Notes({ source }: { source: AssetSource }) {
  const t = useTexts(texts)
  const format = useFormat()
  const { data } = useQuery({ ...assetPage(source, 0), enabled: false })
  if (!source.query.q || !data) return null
  const unknown = data.meta.unknown_prefixes ?? []
  const notes = [
    unknown.length > 0 && t.unknownPrefixes(format.list(unknown.map(t.quoted)), unknown.length === 1),
    textFor(t.meaning, data.meta.meaning, ''),
  ].filter(n => n)
  return notes.map(n => (
    <p key={String(n)} role="status" className={css.note}>
      {n}
    </p>
  ))
}
