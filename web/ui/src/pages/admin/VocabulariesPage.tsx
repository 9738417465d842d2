import { Route, Routes } from 'react-router'
import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { VocabularyList } from '~/features/definitions/VocabularyList'
import { VocabularyTerms } from '~/features/definitions/VocabularyTerms'
import { useTexts } from '~/text/context'
import { texts } from './texts'

function List() {
  usePageTitle(useTexts(texts).vocabularies)
  return (
    <div className={css.page}>
      <VocabularyList />
    </div>
  )
}

export default function VocabulariesPage() {
  return (
    <Routes>
      <Route index element={<List />} />
      <Route path=":vocabulary" element={<VocabularyTerms />} />
    </Routes>
  )
}
