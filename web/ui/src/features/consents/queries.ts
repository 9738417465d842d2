import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { between, useAddressFilter } from '~/components/log/useAddressFilter'

export type Consent = Schemas['Consent']

const names = ['subject', 'context', 'share_id', 'terms_version', 'from', 'to', 'page'] as const
export type FilterName = (typeof names)[number]
export type ConsentFilter = Partial<Record<FilterName, string>>

/** The filter in the page's URL, with functions to change it. */
export const useConsentFilter = () => useAddressFilter(names)

/** A filter as API parameters, without the page. */
function asked({ from, to, page: _, ...same }: ConsentFilter): Record<string, string> {
  return { ...same, ...between({ from, to }) }
}

/** The URL of a CSV with all filtered consents. */
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
      // The URL contains strings; the server parses them like any query, and reports errors.
      return data(api.GET('/api/v1/consents', { params: { query: query as object }, signal }))
    },
  })
}

/** A consent with the accepted text. */
export function useConsent(consent: number) {
  return useQuery({
    queryKey: ['consents', consent],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/consents/{consent}', { params: { path: { consent } }, signal }))).data,
  })
}
