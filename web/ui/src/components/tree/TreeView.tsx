import { ChevronRight, GripVertical } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'
import {
  Button,
  Collection,
  type Key,
  ListLayout,
  Tree,
  TreeItem,
  TreeItemContent,
  TreeLoadMoreItem,
  Virtualizer,
} from 'react-aria-components'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import css from './TreeView.module.css'
import type { LazyTree, TreeNode } from './useLazyTree'
import { type Drops, type TreeTarget, useTreeDrag } from './useTreeDrag'

const texts = catalogue(
  { drag: 'Drag', open: 'Open or close', loading: 'Loading…' },
  { de: { drag: 'Ziehen', open: 'Auf- oder zuklappen', loading: 'Wird geladen …' } },
)

interface TreeViewProps<T> {
  label: string
  tree: LazyTree<T>
  /** The displayed or selected item. */
  current?: string | null
  onAction: (id: string) => void
  /** Content before and after a name. */
  lead?: (value: T) => ReactNode
  trail?: (value: T) => ReactNode
  isFaint?: (value: T) => boolean
  /** If absent, items cannot be dragged. */
  onMove?: ((id: string, to: TreeTarget) => void) | undefined
  /** Items from elsewhere that can be dropped. */
  drops?: Drops<T> | undefined
  /** Handles keys on a row that the tree does not use. */
  onKey?: (key: string, id: string) => boolean
  empty?: ReactNode
}

const rowSize = () => (window.matchMedia('(pointer: coarse)').matches ? 44 : 36) // pixels, like --control

/** A virtualized tree; arrow keys, typing and dragging work as in react-aria. */
export function TreeView<T>(props: TreeViewProps<T>) {
  const { label, tree, onAction, onMove, drops, onKey, empty } = props
  const { dragAndDropHooks } = useTreeDrag({ tree, onMove, drops })
  const t = useTexts(texts)
  const keys = (e: KeyboardEvent) => {
    const row = e.target instanceof Element && e.target.getAttribute('role') === 'row' ? e.target : null
    const id = row?.getAttribute('data-key')
    if (!id || !onKey?.(e.key, id)) return
    e.preventDefault()
    e.stopPropagation()
  }
  return (
    <div className={css.box} onKeyDownCapture={keys}>
      <Virtualizer layout={ListLayout} layoutOptions={{ rowSize: rowSize() }}>
        <Tree
          aria-label={label}
          className={css.tree}
          selectionMode="none"
          expandedKeys={tree.expanded}
          onExpandedChange={k => tree.setExpanded(new Set([...k].map(String)))}
          onAction={(key: Key) => onAction(String(key))}
          renderEmptyState={() => <div className={css.empty}>{tree.isPending ? t.loading : empty}</div>}
          {...(onMove || drops ? { dragAndDropHooks } : {})}
        >
          <Collection items={tree.nodes} dependencies={[props.current, tree.expanded]}>
            {node => <Row node={node} {...props} />}
          </Collection>
          {tree.hasMore && !tree.isPending && <More tree={tree} parent="" />}
        </Tree>
      </Virtualizer>
    </div>
  )
}

function Row<T>({ node, ...props }: TreeViewProps<T> & { node: TreeNode<T> }) {
  const t = useTexts(texts)
  const { tree, current, lead, trail, isFaint, onMove } = props
  const isCurrent = current === node.id
  const classes = [css.row, isCurrent && css.current, isFaint?.(node.value) && css.faint]
  return (
    <TreeItem
      id={node.id}
      textValue={node.name}
      hasChildItems={node.hasChildren}
      className={classes.filter(Boolean).join(' ')}
    >
      <TreeItemContent>
        {({ hasChildItems, level }) => (
          <div className={css.content} style={{ paddingInlineStart: `${(level - 1) * 1}rem` }}>
            {hasChildItems ? (
              <Button slot="chevron" className={css.chevron} aria-label={t.open}>
                <ChevronRight />
              </Button>
            ) : (
              <span className={css.chevron} />
            )}
            {lead?.(node.value)}
            <span className={css.name} aria-current={isCurrent ? 'true' : undefined}>
              {node.name}
            </span>
            {onMove && (
              <Button slot="drag" className={css.grip} aria-label={`${t.drag}: ${node.name}`}>
                <GripVertical />
              </Button>
            )}
            {trail?.(node.value)}
          </div>
        )}
      </TreeItemContent>
      <Collection items={node.children} dependencies={[current, tree.expanded]}>
        {child => <Row node={child} {...props} />}
      </Collection>
      {node.hasMore && <More tree={tree} parent={node.id} />}
    </TreeItem>
  )
}

/** Loads more once it is visible. In a collapsed item it also tells react-aria that there are children. */
function More<T>({ tree, parent }: { tree: LazyTree<T>; parent: string }) {
  const t = useTexts(texts)
  return (
    <TreeLoadMoreItem className={css.more} isLoading onLoadMore={() => tree.more(parent)}>
      {t.loading}
    </TreeLoadMoreItem>
  )
}
