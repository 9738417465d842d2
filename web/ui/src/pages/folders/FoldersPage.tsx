import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { Folders } from '~/features/folders/Folders'
import { texts } from '~/features/folders/texts'
import { useTexts } from '~/text/context'

export default function FoldersPage() {
  const t = useTexts(texts)
  usePageTitle(t.folders)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.folders}</h1>
      </div>
      <p>{t.help}</p>
      <Folders />
    </div>
  )
}
