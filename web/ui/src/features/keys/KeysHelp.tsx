import { Fragment, useSyncExternalStore } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { textFor } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import css from './KeysHelp.module.css'
import { table } from './table'
import { texts } from './texts'
import { useKeys } from './useKeys'

const open = { value: false, listeners: new Set<() => void>() }

function set(value: boolean) {
  open.value = value
  for (const fn of open.listeners) fn()
}

function subscribe(fn: () => void) {
  open.listeners.add(fn)
  return () => open.listeners.delete(fn)
}

/** Shows the keyboard shortcuts, like `?`. */
export function showKeys() {
  set(true)
}

/** The dialog of keyboard shortcuts, opened with `?`. */
export function KeysHelp() {
  const t = useTexts(texts)
  const isOpen = useSyncExternalStore(subscribe, () => open.value)
  useKeys({ help: showKeys })
  const close = () => set(false)
  return (
    <Dialog title={t.title} isOpen={isOpen} onClose={close} wide>
      <div className={css.groups}>
        {Object.entries(t.places).map(([place, name]) => (
          <section key={place}>
            <h3>{name}</h3>
            <Group place={place} />
          </section>
        ))}
      </div>
      <DialogButtons>
        <Button onPress={close} autoFocus>
          {t.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

function Group({ place }: { place: string }) {
  const t = useTexts(texts)
  const bindings = Object.entries(table).filter(([, b]) => b.place === place)
  return (
    <dl className={css.keys}>
      {bindings.map(([name, b]) => (
        <div key={name}>
          <dt>{textFor(t.names, name)}</dt>
          <dd>
            {shownKeys(b.keys).map((k, i) => (
              <Fragment key={k}>
                {i > 0 && (b.keys.length > 2 ? ' ' : ` ${t.or} `)}
                {k === '…' ? k : <Combination keys={k} names={t.keys} />}
              </Fragment>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Combination({ keys, names }: { keys: string; names: Record<string, string> }) {
  const parts = keys === '+' ? ['+'] : keys.split('+')
  return (
    <>
      {parts.map((p, i) => (
        <Fragment key={p}>
          {i > 0 && ' + '}
          <kbd>{names[p] ?? p.toUpperCase()}</kbd>
        </Fragment>
      ))}
    </>
  )
}

const shownAtMost = 4

/** The keys of a binding; only the first and the last if there are many. */
function shownKeys(keys: readonly string[]): readonly string[] {
  return keys.length > shownAtMost ? [keys[0] ?? '', '…', keys.at(-1) ?? ''] : keys
}
