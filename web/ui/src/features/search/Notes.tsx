import { useQuery } from '@tanstack/react-query'
import { type AssetSource, assetPage } from '~/features/assets/query'
import { textFor } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import css from './Notes.module.css'
import { texts } from './texts'

/** What a searcher should know about the result: that search by meaning is not all there. */
export function Notes({ source }: { source: AssetSource }) {
  const t = useTexts(texts)
  const { data } = useQuery({ ...assetPage(source, 0), enabled: false })
  const note = source.query.q && data ? textFor(t.meaning, data.meta.meaning, '') : ''
  return note ? (
    <p role="status" className={css.note}>
      {note}
    </p>
  ) : null
}
