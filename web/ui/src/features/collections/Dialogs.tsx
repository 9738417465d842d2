import { lazy, Suspense } from 'react'
import { useNavigate } from 'react-router'
import { ApiError } from '~/api/client'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { toast } from '~/components/toast/Toast'
import { texts as handInTexts } from '~/features/shares/handInTexts'
import { NewShare } from '~/features/shares/NewShare'
import { texts as shareTexts } from '~/features/shares/texts'
import { useTexts } from '~/text/context'
import { type Collection, type CollectionTarget, useChangeCollections } from './collections'
import { EditDialog } from './EditDialog'
import { MoveDialog } from './MoveDialog'
import { texts } from './texts'

const RulesDialog = lazy(() => import('./RulesDialog'))

/** The open dialog and its collection; null for a new collection at the top level. */
export interface Doing {
  what: 'create' | 'edit' | 'move' | 'rules' | 'share' | 'ask' | 'remove'
  collection: Collection | null
}

/** The open dialog for a collection. */
export function Dialogs({
  doing,
  onClose,
  shown,
}: {
  doing: Doing | null
  onClose: () => void
  /** The collection whose page is open, which is left when it is deleted. */
  shown?: number | undefined
}) {
  const t = useTexts(texts)
  const ts = useTexts(shareTexts)
  const th = useTexts(handInTexts)
  const navigate = useNavigate()
  const { remove } = useChangeCollections()
  const move = useMove()
  if (!doing) return null
  const { what, collection } = doing
  if (what === 'create') {
    const made = (c: Collection) => void navigate(`/collections/${c.id}`)
    return <EditDialog id={null} parent={collection?.id ?? null} onClose={onClose} onSaved={made} />
  }
  if (!collection) return null
  switch (what) {
    case 'edit':
      return <EditDialog id={collection.id} parent={null} onClose={onClose} />
    case 'move':
      return (
        <MoveDialog
          collection={collection}
          onClose={onClose}
          onMove={async into => {
            onClose()
            await move(collection, { into }, { into: collection.parent_id })
          }}
        />
      )
    case 'rules':
      return (
        <Suspense>
          <RulesDialog id={collection.id} onClose={onClose} />
        </Suspense>
      )
    case 'share':
      return (
        <NewShare
          shown={{
            title: ts.shareNamed(collection.name),
            name: collection.name,
            help: ts.collectionHelp,
            what: async () => ({ collection_id: collection.id }),
          }}
          onClose={onClose}
        />
      )
    case 'ask':
      return (
        <NewShare
          shown={{
            title: th.askInto(collection.name),
            name: collection.name,
            help: th.help,
            asks: true,
            what: async () => ({ type: 'upload' as const, collection_id: collection.id }),
          }}
          onClose={onClose}
        />
      )
    case 'remove':
      return (
        <ConfirmDialog
          title={t.confirm(collection.name)}
          action={t.remove}
          onClose={onClose}
          onConfirm={async () => {
            await remove.mutateAsync(collection.id)
            toast({ text: t.removed })
            if (shown !== collection.id) return
            const parent = collection.parent_id
            void navigate(parent ? `/collections/${parent}` : '/collections')
          }}
        >
          <p>{t.confirmHelp}</p>
        </ConfirmDialog>
      )
  }
}

/** Moves a collection, with an undo action. */
export function useMove() {
  const t = useTexts(texts)
  const { move } = useChangeCollections()
  return async (c: Collection, to: CollectionTarget, back: CollectionTarget) => {
    try {
      await move.mutateAsync({ id: c.id, to })
      const undo = () => void move.mutateAsync({ id: c.id, to: back })
      toast({ text: t.moved(c.name), action: { label: t.undo, run: undo } })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
}
