import { type DropTarget, useDragAndDrop } from 'react-aria-components'
import type { LazyTree, TreeNode } from './useLazyTree'

/**
 * A drop position: into another item, at its default position; or directly after a sibling, "" for the first
 * position.
 */
export type TreeTarget = { into: string } | { parent: string; after: string }

export interface Drops<T> {
  /** The media type of the dragged data. */
  type: string
  accepts: (value: T) => boolean
  onDrop: (id: string, text: string) => void
}

interface Options<T> {
  tree: LazyTree<T>
  onMove?: ((id: string, to: TreeTarget) => void) | undefined
  drops?: Drops<T> | undefined
}

const nodeType = 'application/x-dal-node'

/** Dragging within a tree, and into it. */
export function useTreeDrag<T>({ tree, onMove, drops }: Options<T>) {
  return useDragAndDrop<TreeNode<T>>({
    ...(onMove ? { getItems: keys => [...keys].map(k => ({ [nodeType]: String(k) })) } : {}),
    acceptedDragTypes: [nodeType, ...(drops ? [drops.type] : [])],
    shouldAcceptItemDrop: (target, types) => {
      if (!drops || !types.has(drops.type)) return true
      const node = tree.node(String(target.key))
      return node !== undefined && drops.accepts(node.value)
    },
    getDropOperation: (_, types, allowed) =>
      types.has(nodeType) ? (allowed.includes('move') ? 'move' : 'cancel') : (allowed[0] ?? 'cancel'),
    onMove: e => {
      const [id] = e.keys
      const to = placeOf(tree, e.target, String(id))
      if (id !== undefined && to) onMove?.(String(id), to)
    },
    onItemDrop: async e => {
      const item = e.items[0]
      if (e.isInternal || !drops || item?.kind !== 'text' || !item.types.has(drops.type)) return
      drops.onDrop(String(e.target.key), await item.getText(drops.type))
    },
  })
}

function placeOf<T>(tree: LazyTree<T>, target: DropTarget, id: string): TreeTarget | null {
  if (target.type !== 'item') return null
  const key = String(target.key)
  if (target.dropPosition === 'on') return { into: key }
  const parent = tree.parentOf(key)
  if (target.dropPosition === 'after') return { parent, after: key }
  const others = tree.siblings(parent).filter(n => n.id !== id)
  const at = others.findIndex(n => n.id === key)
  return { parent, after: others[at - 1]?.id ?? '' }
}
