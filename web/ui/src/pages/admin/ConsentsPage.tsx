import { ButtonLink } from '~/components/button/Button'
import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { Consents } from '~/features/consents/Consents'
import { tableOf, useConsentFilter } from '~/features/consents/queries'
import { texts } from '~/features/consents/texts'
import { useTexts } from '~/text/context'

export default function ConsentsPage() {
  const t = useTexts(texts)
  const { filter } = useConsentFilter()
  usePageTitle(t.consents)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.consents}</h1>
        <ButtonLink href={tableOf(filter)} download>
          {t.download}
        </ButtonLink>
      </div>
      <Consents />
    </div>
  )
}
