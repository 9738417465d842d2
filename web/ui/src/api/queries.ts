import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query'

/**
 * A QueryClient whose invalidation also reloads queries that are loading for the first time. TanStack Query keeps
 * their response, which can be older than the change.
 */
export class Queries extends QueryClient {
  readonly #waiting = new WeakSet<Query>()

  override invalidateQueries<K extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<K>,
    options?: InvalidateOptions,
  ) {
    for (const query of this.getQueryCache().findAll({ ...filters, type: 'active' })) {
      const isFirst = query.state.data === undefined && query.state.fetchStatus === 'fetching'
      if (isFirst && !this.#waiting.has(query)) void this.#readAfter(query)
    }
    return super.invalidateQueries(filters, options)
  }

  /** Reloads a query after its current request. */
  async #readAfter(query: Query) {
    this.#waiting.add(query)
    await query.fetch().catch(() => {})
    this.#waiting.delete(query)
    await super.invalidateQueries({ queryKey: query.queryKey, exact: true })
  }
}
