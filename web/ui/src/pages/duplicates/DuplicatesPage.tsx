import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { Duplicates } from '~/features/duplicates/Duplicates'
import { texts } from '~/features/duplicates/texts'
import { useTexts } from '~/text/context'

export default function DuplicatesPage() {
  const t = useTexts(texts)
  usePageTitle(t.duplicates)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.duplicates}</h1>
      </div>
      <p>{t.help}</p>
      <Duplicates />
    </div>
  )
}
