import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { between, useAddressFilter } from '~/components/log/useAddressFilter'

export type Consent = Schemas['Consent']

const names = ['subject', 'context', 'share_id', 'terms_version', 'from', 'to', 'page'] as const
export type FilterName = (typeof names)[number]
export type ConsentFilter = Partial<Record<FilterName, string>>

/** The filter in the page's address, and how to change it. */
export const useConsentFilter = () => useAddressFilter(names)

/** A filter as the server reads it, without the page. */
function asked({ from, to, page: _, ...same }: ConsentFilter): Record<string, string> {
  return { ...same, ...between({ from, to }) }
}

/** Where all consents that a filter leaves are had as a table. */
export function tableOf(filter: ConsentFilter): string {
  return mounted(`/api/v1/consents/download?${new URLSearchParams(asked(filter))}`)
}

/** A page of the consents, newest first. */
export function useConsents(filter: ConsentFilter) {
  return useQuery({
    queryKey: ['consents', filter],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) => {
      const query = { ...asked(filter), per_page: 50, ...(filter.page && { page: Number(filter.page) }) }
      // The address has texts; the server reads them as it would any query, and says what is wrong.
      return data(api.GET('/api/v1/consents', { params: { query: query as object }, signal }))
    },
  })
}

/** A consent with the text that was accepted. */
export function useConsent(consent: number) {
  return useQuery({
    queryKey: ['consents', consent],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/consents/{consent}', { params: { path: { consent } }, signal }))).data,
  })
}
