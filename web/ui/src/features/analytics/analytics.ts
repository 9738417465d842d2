import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { useCan } from '~/features/session/rights'

export type Overview = Schemas['AnalyticsOverview']
export type DayCounts = Schemas['AnalyticsDay']
/** Both days are in it. */
export type Range = readonly [from: string, to: string]

/** The most days of one answer. */
export const mostDays = 731

const aDay = 86_400_000

/** The last so many days in UTC, as they are counted. */
export function lastDays(n: number): Range {
  const day = (t: number) => new Date(t).toISOString().slice(0, 10)
  return [day(Date.now() - (n - 1) * aDay), day(Date.now())]
}

/** How many days a range has. */
export function daysOf([from, to]: Range) {
  return Math.round((Date.parse(to) - Date.parse(from)) / aDay) + 1
}

/** Whether the one who is signed in may see how the library is used. */
export function useMaySeeUse() {
  return useCan()('analytics:read')
}

/** Where the days of a range are had as a table. */
export function daysTable([from, to]: Range) {
  return mounted(`/api/v1/analytics/overview/download?${new URLSearchParams({ from, to })}`)
}

/** Where all assets that were used are had as a table. */
export function assetsTable([from, to]: Range, by: 'views' | 'downloads') {
  return mounted(`/api/v1/analytics/assets/download?${new URLSearchParams({ from, to, sort_by: by })}`)
}

/** Where the last 30 days of an asset are had as a table. */
export function assetTable(gaid: string) {
  return mounted(`/api/v1/analytics/assets/${gaid}/download`)
}

export function useOverview([from, to]: Range) {
  return useQuery({
    queryKey: ['analytics', 'overview', from, to],
    placeholderData: keepPreviousData,
    staleTime: 0, // no event tells of views
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/analytics/overview', { params: { query: { from, to } }, signal }))).data,
  })
}

/** A page of the assets, the most used first. */
export function useAssetsUsed([from, to]: Range, by: 'views' | 'downloads', page: number) {
  return useQuery({
    queryKey: ['analytics', 'assets', from, to, by, page],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/analytics/assets', {
          params: { query: { from, to, sort_by: by, page, per_page: 10 } },
          signal,
        }),
      ),
  })
}

/** How an asset was used in the last 30 days. */
export function useAssetUse(gaid: string) {
  const may = useMaySeeUse()
  return useQuery({
    queryKey: ['analytics', 'asset', gaid],
    enabled: may,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/analytics/assets/{gaid}', { params: { path: { gaid } }, signal }))).data,
  })
}
