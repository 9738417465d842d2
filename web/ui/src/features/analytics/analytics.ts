import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { useCan } from '~/features/session/rights'

export type Overview = Schemas['AnalyticsOverview']
export type DayCounts = Schemas['AnalyticsDay']
/** Both days are included. */
export type Range = readonly [from: string, to: string]

/** The maximum number of days in an answer. */
export const mostDays = 731

const aDay = 86_400_000

/** The last n days in UTC, as in the counts. */
export function lastDays(n: number): Range {
  const day = (t: number) => new Date(t).toISOString().slice(0, 10)
  return [day(Date.now() - (n - 1) * aDay), day(Date.now())]
}

/** The number of days in a range. */
export function daysOf([from, to]: Range) {
  return Math.round((Date.parse(to) - Date.parse(from)) / aDay) + 1
}

/** Whether the signed-in user may see usage analytics. */
export function useMaySeeUse() {
  return useCan()('analytics:read')
}

/** The URL of a CSV with the days of a range. */
export function daysTable([from, to]: Range) {
  return mounted(`/api/v1/analytics/overview/download?${new URLSearchParams({ from, to })}`)
}

/** The URL of a CSV with all used assets. */
export function assetsTable([from, to]: Range, by: 'views' | 'downloads') {
  return mounted(`/api/v1/analytics/assets/download?${new URLSearchParams({ from, to, sort_by: by })}`)
}

/** The URL of a CSV with the last 30 days of an asset. */
export function assetTable(gaid: string) {
  return mounted(`/api/v1/analytics/assets/${gaid}/download`)
}

export function useOverview([from, to]: Range) {
  return useQuery({
    queryKey: ['analytics', 'overview', from, to],
    placeholderData: keepPreviousData,
    staleTime: 0, // there are no events for views
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/analytics/overview', { params: { query: { from, to } }, signal }))).data,
  })
}

/** A page of the assets, most used first. */
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

/** The usage of an asset in the last 30 days. */
export function useAssetUse(gaid: string) {
  const may = useMaySeeUse()
  return useQuery({
    queryKey: ['analytics', 'asset', gaid],
    enabled: may,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/analytics/assets/{gaid}', { params: { path: { gaid } }, signal }))).data,
  })
}
