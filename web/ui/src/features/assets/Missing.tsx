import { Button } from '~/components/button/Button'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import css from './Grid.module.css'
import { texts } from './texts'

/** Reports that part of the list failed to load, with a retry button. */
export function Missing({ message, onRetry }: { message: string; onRetry: () => void }) {
  const t = useTexts(texts)
  return (
    <div className={css.missing}>
      <Notice kind="danger">
        <span>{message || t.away}</span> <Button onPress={onRetry}>{t.retry}</Button>
      </Notice>
    </div>
  )
}
