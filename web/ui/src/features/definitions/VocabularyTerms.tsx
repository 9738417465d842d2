import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { ApiError, api, data } from '~/api/client'
import page from '~/components/page.module.css'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { usePageTitle } from '~/components/title'
import { useFormat, useTexts } from '~/text/context'
import css from './Definitions.module.css'
import { TermTree } from './TermTree'
import { texts } from './texts'

/** The vocabulary in the page's URL, with its terms. */
export function VocabularyTerms() {
  const t = useTexts(texts)
  const format = useFormat()
  const { vocabulary: key = '' } = useParams()
  const vocabulary = useQuery({
    queryKey: ['vocabularies', key, 'one'],
    queryFn: async ({ signal }) => {
      const params = { path: { vocabulary: key } }
      return (await data(api.GET('/api/v1/metadata/vocabularies/{vocabulary}', { params, signal }))).data
    },
  })
  usePageTitle(vocabulary.data?.name ?? t.vocabularies)
  if (vocabulary.error instanceof ApiError && vocabulary.error.status === 404) {
    return <Empty title={t.missing} level={1} />
  }
  if (vocabulary.error) return <Notice kind="danger">{vocabulary.error.message}</Notice>
  if (!vocabulary.data) return <Busy label={t.loading} />
  const { name, terms_count } = vocabulary.data
  return (
    <div className={css.vocabulary}>
      <Link to="/admin/vocabularies">{t.vocabularies}</Link>
      <div className={page.head}>
        <h1>{name}</h1>
        <span className={css.about}>{format.plural(terms_count, t.oneTerm, t.otherTerms)}</span>
      </div>
      <TermTree key={key} vocabulary={key} />
    </div>
  )
}
