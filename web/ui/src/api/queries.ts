import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query'

/**
 * A QueryClient that also reads again what is being read for the first time: TanStack Query keeps that answer, which
 * may be older than the change.
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

  /** Reads a query again once its current request has ended. */
  async #readAfter(query: Query) {
    this.#waiting.add(query)
    await query.fetch().catch(() => {})
    this.#waiting.delete(query)
    await super.invalidateQueries({ queryKey: query.queryKey, exact: true })
  }
}
