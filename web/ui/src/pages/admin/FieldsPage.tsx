import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { FieldList } from '~/features/definitions/FieldList'
import { useTexts } from '~/text/context'
import { texts } from './texts'

export default function FieldsPage() {
  usePageTitle(useTexts(texts).fields)
  return (
    <div className={css.page}>
      <FieldList />
    </div>
  )
}
