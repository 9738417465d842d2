import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { Card } from './Card'
import css from './Terms.module.css'
import { texts } from './texts'

interface TermsProps {
  onAccepted: () => unknown
  onSignOut: () => void
}

/** The page for users who have signed in but not accepted the terms of use. */
export function TermsPage({ site, ...props }: TermsProps & { site: Schemas['SessionInfo'] }) {
  const t = useTexts(texts)
  return (
    <Card title={t.terms} site={site} wide>
      <p>{t.termsHelp}</p>
      <Terms {...props} />
    </Card>
  )
}

/** Asks to accept changed terms above the current page. */
export function TermsChanged(props: TermsProps) {
  const t = useTexts(texts)
  return (
    <Dialog title={t.termsChanged} isOpen persistent wide onClose={() => {}}>
      <p>{t.termsChangedHelp}</p>
      <Terms {...props} />
    </Dialog>
  )
}

function Terms({ onAccepted, onSignOut }: TermsProps) {
  const t = useTexts(texts)
  const [newer, setNewer] = useState(false)
  const terms = useQuery({
    queryKey: ['terms'],
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/terms', { signal }))).data,
    staleTime: 0,
  })
  const accept = async () => {
    if (!terms.data) return
    try {
      await api.POST('/api/v1/terms/accept', { body: { version: terms.data.version } })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
      setNewer(true)
      await terms.refetch()
      return
    }
    onAccepted()
  }
  if (terms.isPending) return <Busy label={t.loading} />
  return (
    <Form onSubmit={accept}>
      {({ pending }) => (
        <>
          {newer && <Notice kind="info">{t.termsNewer}</Notice>}
          {terms.error && <Notice kind="danger">{terms.error.message || t.away}</Notice>}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text has to be scrolled by keyboard */}
          <section className={css.text} aria-label={t.terms} tabIndex={0}>
            {terms.data?.text}
          </section>
          <DialogButtons>
            <Button look="quiet" onPress={onSignOut}>
              {t.signOut}
            </Button>
            <Button type="submit" look="primary" isPending={pending} isDisabled={!terms.data}>
              {t.acceptTerms}
            </Button>
          </DialogButtons>
        </>
      )}
    </Form>
  )
}
