import { useTexts } from '~/text/context'
import { texts } from './listTexts'
import type { Operation } from './queries'

/** The name of an operation's type. */
export function useKind() {
  const t = useTexts(texts)
  return (type: Operation['type']) => (type === 'export' ? t.exporting : t[type])
}
