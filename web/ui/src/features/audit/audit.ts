import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { api, data, type Schemas } from '~/api/client'

export type AuditEntry = Schemas['AuditEntry']

export const methods: readonly Schemas['RequestMethod'][] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CLI']

const names = ['event', 'user_id', 'token_id', 'account', 'method', 'status', 'from', 'to', 'page'] as const
export type FilterName = (typeof names)[number]
export type AuditFilter = Partial<Record<FilterName, string>>

/** The filter in the page's address, and how to change it. */
export function useAuditFilter() {
  const [params, setParams] = useSearchParams()
  const filter: AuditFilter = {}
  for (const name of names) {
    const value = params.get(name)
    if (value) filter[name] = value
  }
  const set = (changes: AuditFilter) =>
    setParams(
      old => {
        if (!('page' in changes)) old.delete('page')
        for (const [name, value] of Object.entries(changes)) {
          if (value) old.set(name, value)
          else old.delete(name)
        }
        return old
      },
      { replace: true },
    )
  return { filter, set, clear: () => setParams({}, { replace: true }) }
}

/** The beginning of a day here, as an instant; `days` later. */
export function startOf(day: string, days = 0): string {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + days)
  return at.toISOString()
}

/** A page of the entries, newest first. */
export function useAudit(filter: AuditFilter) {
  return useQuery({
    queryKey: ['audit', filter],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) => {
      const { from, to, page, ...same } = filter
      const query = {
        ...same,
        per_page: 50,
        ...(page && { page: Number(page) }),
        ...(from && { from: startOf(from) }),
        ...(to && { to: startOf(to, 1) }),
      }
      // The address has texts; the server reads them as it would any query, and says what is wrong.
      return data(api.GET('/api/v1/audit-logs', { params: { query: query as object }, signal }))
    },
  })
}
