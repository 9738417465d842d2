import { type ReactNode, useState } from 'react'
import { toast } from '~/components/toast/Toast'
import { useKeys } from '~/features/keys/useKeys'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import { CollectionDialog } from './CollectionDialog'
import { KeywordsDialog } from './KeywordsDialog'
import { texts } from './texts'
import { most, type Status, type Target, useTriage } from './triage'
import { undoLast } from './undo'

type Targets = readonly Target[] | 'many'

interface Options {
  /** The part of the page that must have the focus. */
  within: string
  /** The assets that the keys change; if empty, the keys do nothing. */
  targets: () => Targets | Promise<Targets>
  /** Called after a change that keeps the assets in the list. */
  onChanged?: () => void
  /** Called before assets go to the trash, while the next one can still be determined. */
  onTrash?: () => void
}

/** Binds the keys that rate, set the status, add keywords and collections, and delete; returns their dialogs. */
export function useTriageKeys({ within, targets, onChanged, onTrash }: Options): {
  dialogs: ReactNode
  ask: (what: 'keywords' | 'collection') => void
  toTrash: () => void
} {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const triage = useTriage()
  const [asking, setAsking] = useState<{
    what: 'keywords' | 'collection'
    targets: readonly Target[]
  } | null>(null)
  /** Calls fn with the targets, unless there are none or too many. */
  const withTargets = async (fn: (targets: readonly Target[]) => void) => {
    const list = await targets()
    if (list === 'many') toast({ text: t.tooMany(format.number(most)) })
    else if (list.length > 0) fn(list)
  }
  const rate = (n: number) => () =>
    withTargets(list => {
      void triage.rate(list, n)
      onChanged?.()
    })
  const status = (s: Status) => () =>
    withTargets(list => {
      void triage.setStatus(list, s)
      onChanged?.()
    })
  const ask = (what: 'keywords' | 'collection') => withTargets(list => setAsking({ what, targets: list }))
  const toTrash = () =>
    withTargets(list => {
      onTrash?.()
      void triage.toTrash(list)
    })

  const writes = can('assets:write')
  useKeys(
    {
      ...(writes && {
        rate0: rate(0),
        rate1: rate(1),
        rate2: rate(2),
        rate3: rate(3),
        rate4: rate(4),
        rate5: rate(5),
        approve: status('approved'),
        reject: status('rejected'),
        review: status('in_review'),
        draft: status('draft'),
        archive: status('archived'),
        keywords: () => ask('keywords'),
      }),
      ...(can('collections:write') && { collection: () => ask('collection') }),
      ...(can('assets:delete') && { trash: toTrash }),
      undo: undoLast,
    },
    within,
  )
  const close = () => setAsking(null)
  return {
    ask,
    toTrash,
    dialogs: asking && (
      <>
        {asking.what === 'keywords' && (
          <KeywordsDialog
            onClose={close}
            onAdd={words => {
              void triage.addKeywords(asking.targets, words)
              onChanged?.()
            }}
          />
        )}
        {asking.what === 'collection' && (
          <CollectionDialog targets={asking.targets} onClose={close} onAdded={() => onChanged?.()} />
        )}
      </>
    ),
  }
}
