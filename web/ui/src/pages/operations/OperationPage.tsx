import { Link, useParams } from 'react-router'
import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { texts } from '~/features/operations/listTexts'
import { OperationView } from '~/features/operations/OperationView'
import { useOperation } from '~/features/operations/pages'
import { useKind } from '~/features/operations/useKind'
import { useTexts } from '~/text/context'

export default function OperationPage() {
  const t = useTexts(texts)
  const kind = useKind()
  const id = Number(useParams().operation)
  const operation = useOperation(id)
  const title = operation.data ? kind(operation.data.type) : t.operations
  usePageTitle(title)
  return (
    <div className={css.page}>
      <nav className={css.trail} aria-label={t.operations}>
        <Link to="/operations">{t.operations}</Link>
      </nav>
      <div className={css.head}>
        <h1>{title}</h1>
      </div>
      <OperationView id={id} key={id} />
    </div>
  )
}
