import { FolderPlus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { ApiError } from '~/api/client'
import { Button, IconButton } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import type { ReadAsset } from '~/features/assets/asset'
import { useCan } from '~/features/session/rights'
import { CollectionDialog } from '~/features/triage/CollectionDialog'
import { useMembership } from '~/features/triage/membership'
import { done } from '~/features/triage/undo'
import { useTexts } from '~/text/context'
import css from './Panel.module.css'
import { Part } from './Row'
import { texts } from './texts'

/** The collections of an asset: open, leave and join. */
export function CollectionChips({ asset }: { asset: ReadAsset }) {
  const t = useTexts(texts)
  const can = useCan()
  const { addTo, removeFrom } = useMembership()
  const [adding, setAdding] = useState(false)
  const editable = can('collections:write') && !asset.deleted_at
  if (!editable && asset.collections.length === 0) return null
  const leave = async (c: ReadAsset['collections'][number]) => {
    try {
      await removeFrom(c.id, [asset.gaid])
      done(t.removedFrom(c.name), t.undo, () => void addTo(c.id, [asset.gaid]))
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  return (
    <Part title={t.collections}>
      {asset.collections.length > 0 && (
        <ul className={css.tags}>
          {asset.collections.map(c => (
            <li key={c.id} className={css.tag}>
              <Link to={`/collections/${c.id}`}>{c.name}</Link>
              {editable && (
                <IconButton
                  label={t.removeFrom(c.name)}
                  className={css.tagButton}
                  onPress={() => void leave(c)}
                >
                  <X />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {editable && (
        <Button look="quiet" className={css.add} onPress={() => setAdding(true)}>
          <FolderPlus /> {t.addToCollection}
        </Button>
      )}
      {adding && <CollectionDialog targets={[asset]} onClose={() => setAdding(false)} onAdded={() => {}} />}
    </Part>
  )
}
