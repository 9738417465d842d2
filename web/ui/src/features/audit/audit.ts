import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { between, useAddressFilter } from '~/components/log/useAddressFilter'

export type AuditEntry = Schemas['AuditEntry']

export const methods: readonly Schemas['RequestMethod'][] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CLI']

const names = [
  'all',
  'event',
  'user_id',
  'token_id',
  'account',
  'method',
  'status',
  'from',
  'to',
  'page',
] as const
export type FilterName = (typeof names)[number]
export type AuditFilter = Partial<Record<FilterName, string>>

/** The filter in the page's URL, with functions to change it. */
export const useAuditFilter = () => useAddressFilter(names)

/** A page of the entries, newest first. */
export function useAudit(filter: AuditFilter) {
  return useQuery({
    queryKey: ['audit', filter],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) => {
      const { all, from, to, page, ...same } = filter
      const reads = all || filter.method === 'GET' || filter.method === 'HEAD'
      const query = {
        ...same,
        ...(!reads && { changes: true }),
        ...between({ from, to }),
        per_page: 50,
        ...(page && { page: Number(page) }),
      }
      // The URL contains strings; the server parses them like any query, and reports errors.
      return data(api.GET('/api/v1/audit-logs', { params: { query: query as object }, signal }))
    },
  })
}
