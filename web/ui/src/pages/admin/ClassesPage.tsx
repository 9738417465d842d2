import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { ClassLists } from '~/features/definitions/ClassLists'
import { useTexts } from '~/text/context'
import { texts } from './texts'

export default function ClassesPage() {
  usePageTitle(useTexts(texts).classes)
  return (
    <div className={css.page}>
      <ClassLists />
    </div>
  )
}
