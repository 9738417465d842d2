import { type QueryKey, useQueries } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'

/** A tree item with its loaded children. */
export interface TreeNode<T> {
  id: string
  name: string
  value: T
  children: TreeNode<T>[]
  hasChildren: boolean
  /** Not all children are loaded. */
  hasMore: boolean
}

interface TreePage<T> {
  items: readonly T[]
  isLast: boolean
}

interface Source<T> {
  /** The prefix of the pages' query keys; the parent and the page are appended. */
  queryKey: QueryKey
  /** Loads a page of a parent's children, "" for the top level; pages start at 1. */
  read: (parent: string, page: number, signal: AbortSignal) => Promise<TreePage<T>>
  facts: (item: T) => { id: string; name: string; hasChildren: boolean }
  /** The key under which this tab stores the expanded items. */
  storage?: string
}

export interface LazyTree<T> {
  nodes: TreeNode<T>[]
  hasMore: boolean
  isPending: boolean
  error: Error | null
  expanded: ReadonlySet<string>
  setExpanded: (ids: ReadonlySet<string>) => void
  expand: (ids: readonly string[]) => void
  /** Loads the next page of a parent's children, "" for the top level. */
  more: (parent: string) => void
  node: (id: string) => TreeNode<T> | undefined
  parentOf: (id: string) => string
  siblings: (parent: string) => readonly TreeNode<T>[]
}

function opened(storage: string | undefined): ReadonlySet<string> {
  const text = storage && sessionStorage.getItem(storage)
  return new Set(text ? text.split(',') : [])
}

/** A tree that loads only expanded items, page by page. */
export function useLazyTree<T>({ queryKey, read, facts, storage }: Source<T>): LazyTree<T> {
  const [expanded, setOpen] = useState(() => opened(storage))
  const [pages, setPages] = useState<Readonly<Record<string, number>>>({})
  const wanted = useMemo(
    () =>
      ['', ...expanded].flatMap(parent =>
        Array.from({ length: pages[parent] ?? 1 }, (_, i) => ({ parent, page: i + 1 })),
      ),
    [expanded, pages],
  )
  const results = useQueries({
    queries: wanted.map(({ parent, page }) => ({
      queryKey: [...queryKey, parent, page],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(parent, page, signal),
    })),
    combine: useCallback(
      (all: { data?: TreePage<T> | undefined; error: Error | null; isPending: boolean }[]) => ({
        pages: all.map(r => r.data),
        error: all.find(r => r.error)?.error ?? null,
        isPending: all[0]?.isPending ?? true,
      }),
      [],
    ),
  })
  const built = useMemo(() => build(wanted, results.pages, facts), [wanted, results.pages, facts])
  const setExpanded = useCallback(
    (ids: ReadonlySet<string>) => {
      setOpen(ids)
      if (storage) sessionStorage.setItem(storage, [...ids].join(','))
    },
    [storage],
  )
  return {
    ...built,
    isPending: results.isPending,
    error: results.error,
    expanded,
    setExpanded,
    expand: ids => {
      if (ids.some(id => !expanded.has(id))) setExpanded(new Set([...expanded, ...ids]))
    },
    more: parent => {
      if (built.isRead(parent)) setPages(p => ({ ...p, [parent]: (pages[parent] ?? 1) + 1 }))
    },
  }
}

function build<T>(
  wanted: readonly { parent: string; page: number }[],
  pages: readonly (TreePage<T> | undefined)[],
  facts: Source<T>['facts'],
) {
  const below = new Map<string, TreeNode<T>[]>()
  const open = new Set<string>()
  const byID = new Map<string, TreeNode<T>>()
  const parents = new Map<string, string>()
  const awaited = new Set<string>()
  for (const [i, { parent }] of wanted.entries()) {
    const page = pages[i]
    const list = below.get(parent) ?? []
    below.set(parent, list)
    if (!page) awaited.add(parent)
    if (page?.isLast) open.delete(parent)
    else open.add(parent)
    for (const value of page?.items ?? []) {
      const node: TreeNode<T> = { ...facts(value), value, children: [], hasMore: false }
      if (byID.has(node.id)) continue // moved while the pages were loaded
      byID.set(node.id, node)
      parents.set(node.id, parent)
      list.push(node)
    }
  }
  for (const node of byID.values()) {
    node.children = below.get(node.id) ?? []
    node.hasMore = node.hasChildren && (open.has(node.id) || !below.has(node.id))
  }
  return {
    nodes: below.get('') ?? [],
    hasMore: open.has(''),
    /** Whether all requested pages of a parent are loaded. */
    isRead: (parent: string) => below.has(parent) && !awaited.has(parent),
    node: (id: string) => byID.get(id),
    parentOf: (id: string) => parents.get(id) ?? '',
    siblings: (parent: string) => below.get(parent) ?? [],
  }
}
