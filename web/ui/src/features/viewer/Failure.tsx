import { ApiError } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Empty } from '~/components/state/Empty'
import { useTexts } from '~/text/context'
import { texts } from './texts'

/** Replaces an asset that cannot be displayed. */
export function Failure({
  error,
  onRetry,
  onClose,
}: {
  error: Error
  onRetry: () => void
  onClose: () => void
}) {
  const t = useTexts(texts)
  const gone = error instanceof ApiError && error.status === 404
  return (
    <div role="alert">
      <Empty title={gone ? t.gone : t.unreadable}>
        <p>{gone ? t.goneHelp : error.message}</p>
        {!gone && (
          <Button look="primary" onPress={onRetry}>
            {t.retry}
          </Button>
        )}
        <Button onPress={onClose}>{t.close}</Button>
      </Empty>
    </div>
  )
}
