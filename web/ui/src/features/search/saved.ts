import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { type AssetQuery, queryText, textOf } from '~/features/assets/query'

export type SavedSearch = Schemas['SavedSearch']
const key = ['saved-searches'] as const

/** The user's saved searches, newest first. */
export function useSavedSearches(enabled: boolean) {
  return useQuery({
    queryKey: key,
    enabled,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/saved-searches', { params: { query: { per_page: 100 } }, signal }))).data,
  })
}

/** Mutations of saved searches; their list is reloaded afterwards. */
export function useChangeSaved() {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: key })
  return {
    create: useMutation({
      mutationFn: (body: { name: string; query: Schemas['SavedQuery'] }) =>
        data(api.POST('/api/v1/saved-searches', { body })),
      onSuccess,
    }),
    update: useMutation({
      mutationFn: ({ id, ...body }: { id: number; name?: string; query?: Schemas['SavedQuery'] }) =>
        data(
          api.PUT('/api/v1/saved-searches/{saved_search}', { params: { path: { saved_search: id } }, body }),
        ),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (id: number) =>
        api.DELETE('/api/v1/saved-searches/{saved_search}', { params: { path: { saved_search: id } } }),
      onSuccess,
    }),
  }
}

/** The saved form of the current search. */
export function savedQuery({ filters, sort_by, sort_direction, ...text }: AssetQuery): Schemas['SavedQuery'] {
  return {
    ...textOf(text),
    ...(filters && { filters: JSON.parse(filters) as Schemas['FilterDocument'] }),
    ...(sort_by && sort_by !== 'position' && { sort_by }),
    ...(sort_direction && { sort_direction }),
  }
}

/** The URL that shows a saved search. Its short parameters are converted to rules. */
export function savedHref({ query }: Pick<SavedSearch, 'query'>): string {
  const rules: unknown[] = []
  const rule = (field: string, operator: string, value: unknown) =>
    rules.push({ type: 'filter', field, operator, value })
  if (query.asset_class_id) rule('asset.asset_class_id', 'in', [query.asset_class_id])
  if (query.ingestion_batch_id) rule('asset.ingestion_batch_id', 'equals', query.ingestion_batch_id)
  if (query.mime_type) rule('asset.mime_type', 'contains', query.mime_type)
  if (query.filters) rules.push(query.filters)
  const filters = rules.length > 1 ? { type: 'group', operator: 'and', rules } : rules[0]
  const words: AssetQuery = {
    ...(query.q && { q: query.q }),
    ...(query.meaning === false && { meaning: 'false' }),
    ...(filters !== undefined && { filters: JSON.stringify(filters) }),
    ...(query.sort_by && { sort_by: query.sort_by }),
    ...(query.sort_direction && { sort_direction: query.sort_direction }),
  }
  return `${query.trashed === 'only' ? '/trash' : '/'}${queryText(words)}`
}
