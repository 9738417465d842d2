import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { ImportButton } from '~/features/operations/import/ImportButton'
import { texts } from '~/features/operations/listTexts'
import { Operations } from '~/features/operations/Operations'
import { useTexts } from '~/text/context'

export default function OperationsPage() {
  const t = useTexts(texts)
  usePageTitle(t.operations)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.operations}</h1>
        <ImportButton />
      </div>
      <Operations />
    </div>
  )
}
