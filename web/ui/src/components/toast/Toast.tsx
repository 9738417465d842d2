import {
  UNSTABLE_Toast as AriaToast,
  Button,
  UNSTABLE_ToastContent as Content,
  UNSTABLE_ToastQueue as Queue,
  UNSTABLE_ToastRegion as Region,
  Text,
} from 'react-aria-components'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import css from './Toast.module.css'

interface Toast {
  text: string
  /** Undoes or continues the action. */
  action?: { label: string; run: () => void }
}

const queue = new Queue<Toast>({ maxVisibleToasts: 3 })
const shown = 8_000 // milliseconds

/** Shows a message for a while, with an optional action; returns a function that removes it. */
export function toast(t: Toast): () => void {
  const key = queue.add(t, { timeout: shown })
  return () => queue.close(key)
}

const texts = catalogue(
  { region: 'Messages', close: 'Close' },
  { de: { region: 'Meldungen', close: 'Schließen' } },
)

export function Toasts() {
  const t = useTexts(texts)
  return (
    <Region queue={queue} className={css.region} aria-label={t.region}>
      {({ toast }) => (
        <AriaToast toast={toast} className={css.toast}>
          <Content className={css.text}>
            <Text slot="title">{toast.content.text}</Text>
          </Content>
          {toast.content.action && (
            <Button
              className={css.button}
              onPress={() => {
                toast.content.action?.run()
                queue.close(toast.key)
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <Button slot="close" className={css.button} aria-label={t.close}>
            ×
          </Button>
        </AriaToast>
      )}
    </Region>
  )
}
