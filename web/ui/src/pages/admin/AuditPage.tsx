import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { AuditLog } from '~/features/audit/AuditLog'
import { texts } from '~/features/audit/texts'
import { useTexts } from '~/text/context'

export default function AuditPage() {
  const t = useTexts(texts)
  usePageTitle(t.audit)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.audit}</h1>
      </div>
      <AuditLog />
    </div>
  )
}
