import { api, data } from '~/api/client'
import { useLazyTree } from '~/components/tree/useLazyTree'
import type { Collection } from './collections'

const perPage = 200

async function read(parent: string, page: number, signal: AbortSignal) {
  const query = { parent_id: parent || '0', page, per_page: perPage }
  const { data: items, meta } = await data(api.GET('/api/v1/collections', { params: { query }, signal }))
  return { items, isLast: meta.current_page >= meta.last_page }
}

const facts = (c: Collection) => ({ id: String(c.id), name: c.name, hasChildren: c.children_count > 0 })

/** The tree of collections; `storage` stores the expanded items. */
export function useCollectionTree(storage?: string) {
  return useLazyTree({ queryKey: ['collections', 'tree'], read, facts, ...(storage ? { storage } : {}) })
}
