import { Folder, Plus, Sparkles } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError } from '~/api/client'
import { IconButton } from '~/components/button/Button'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { TreeView } from '~/components/tree/TreeView'
import type { TreeTarget } from '~/components/tree/useTreeDrag'
import { useFormat, useTexts } from '~/text/context'
import { CollectionMenu } from './CollectionMenu'
import { type Collection, coverURL, useChangeCollections, useTrail } from './collections'
import { Dialogs, type Doing, useMove } from './Dialogs'
import { assetsType } from './dragged'
import { RenamePopover } from './RenamePopover'
import { useRights } from './rights'
import css from './TreePanel.module.css'
import { texts } from './texts'
import { useCollectionTree } from './tree'

interface TreePanelProps {
  /** The collection whose page is open. */
  shown?: number | undefined
  /** Called when a collection is opened from the tree. */
  onOpened?: () => void
}

/** The tree of collections, for opening, creating, renaming and moving them. */
export function TreePanel({ shown, onOpened }: TreePanelProps) {
  const t = useTexts(texts)
  const navigate = useNavigate()
  const { mayChange, mayDelete } = useRights()
  const tree = useCollectionTree('dal.collections.open')
  const move = useMove()
  const drop = useDropped()
  const box = useRef<HTMLDivElement>(null)
  const [doing, setDoing] = useState<Doing | null>(null)
  const [renaming, setRenaming] = useState<Collection | null>(null)
  useOpenTo(shown, tree.expand)

  const onMove = (id: string, to: TreeTarget) => {
    const c = tree.node(id)?.value
    if (!c) return
    const parent = tree.parentOf(id)
    const at = tree.siblings(parent).findIndex(n => n.id === id)
    const back = { parent: number(parent), after: number(tree.siblings(parent)[at - 1]?.id ?? '') }
    const target =
      'into' in to ? { into: number(to.into) } : { parent: number(to.parent), after: number(to.after) }
    void move(c, target, back)
  }
  const shiftOf = (id: string) => {
    const parent = tree.parentOf(id)
    const siblings = tree.siblings(parent)
    const at = siblings.findIndex(n => n.id === id)
    if (siblings.length < 2) return undefined
    const behind = (n: number) => () => onMove(id, { parent, after: siblings[n]?.id ?? '' })
    return {
      up: at > 0 ? behind(at - 2) : undefined,
      down: at < siblings.length - 1 ? behind(at + 1) : undefined,
    }
  }
  const onKey = (key: string, id: string) => {
    const collection = tree.node(id)?.value
    if (!collection) return false
    if (key === 'F2' && mayChange) setRenaming(collection)
    else if (key === 'Delete' && mayDelete) setDoing({ what: 'remove', collection })
    else return false
    return true
  }
  return (
    <div className={css.panel} ref={box}>
      <div className={css.head}>
        <h2>{t.tree}</h2>
        {mayChange && (
          <IconButton label={t.create} onPress={() => setDoing({ what: 'create', collection: null })}>
            <Plus />
          </IconButton>
        )}
      </div>
      {tree.error && <Notice kind="danger">{tree.error.message}</Notice>}
      <TreeView
        label={t.tree}
        tree={tree}
        current={shown === undefined ? null : String(shown)}
        onAction={id => {
          void navigate(`/collections/${id}`)
          onOpened?.()
        }}
        lead={c => <Cover collection={c} />}
        trail={c => (
          <>
            <Count collection={c} />
            <CollectionMenu
              collection={c}
              onDo={setDoing}
              onRename={() => setRenaming(c)}
              onShift={shiftOf(String(c.id))}
              className={css.menu}
            />
          </>
        )}
        isFaint={c => !c.is_active}
        onMove={mayChange ? onMove : undefined}
        drops={
          mayChange
            ? {
                type: assetsType,
                accepts: c => !c.rules,
                onDrop: (id, text) => void drop(tree.node(id)?.value, text),
              }
            : undefined
        }
        onKey={onKey}
        empty={t.none}
      />
      {renaming && <RenamePopover collection={renaming} box={box} onClose={() => setRenaming(null)} />}
      <Dialogs doing={doing} onClose={() => setDoing(null)} shown={shown} />
    </div>
  )
}

const number = (id: string) => (id === '' ? null : Number(id))

/** Expands the tree down to the displayed collection. */
function useOpenTo(shown: number | undefined, expand: (ids: readonly string[]) => void) {
  const { data: trail } = useTrail(shown)
  const opened = useRef(0)
  useEffect(() => {
    if (!trail || shown === undefined || opened.current === shown) return
    opened.current = shown
    expand(trail.slice(0, -1).map(c => String(c.id)))
  }, [trail, shown, expand])
}

/** Adds assets dropped on a collection. */
function useDropped() {
  const t = useTexts(texts)
  const format = useFormat()
  const { add } = useChangeCollections()
  return async (c: Collection | undefined, text: string) => {
    if (!c) return
    try {
      const n = await add.mutateAsync({ id: c.id, gaids: JSON.parse(text) as string[] })
      toast({ text: t.added(format.number(n), c.name) })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
}

function Cover({ collection: c }: { collection: Collection }) {
  if (c.cover_gaid) return <img src={coverURL(c.cover_gaid)} alt="" loading="lazy" className={css.cover} />
  return <span className={css.cover}>{c.rules ? <Sparkles /> : <Folder />}</span>
}

function Count({ collection: c }: { collection: Collection }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <span className={css.count}>
      <span aria-hidden>{format.number(c.assets_count)}</span>
      <span className="visually-hidden">{format.plural(c.assets_count, t.one, t.other)}</span>
    </span>
  )
}
