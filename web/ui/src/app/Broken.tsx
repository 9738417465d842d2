import { isRouteErrorResponse, useRouteError } from 'react-router'
import { mounted } from '~/api/mount'
import { Button } from '~/components/button/Button'
import { Empty } from '~/components/state/Empty'
import { useTexts } from '~/text/context'
import { texts } from './texts'

/** The page for errors and for unknown paths. */
export function Broken() {
  const t = useTexts(texts)
  const error = useRouteError()
  const missing = isRouteErrorResponse(error) && error.status === 404
  return (
    <main>
      <Empty title={missing ? t.noPage : t.broken}>
        {!missing && <p>{error instanceof Error ? error.message : String(error)}</p>}
        <Button onPress={() => window.location.assign(mounted('/'))}>{t.toLibrary}</Button>
      </Empty>
    </main>
  )
}
