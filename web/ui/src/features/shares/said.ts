import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { mounted } from '~/api/mount'
import { namedAssets } from '~/features/assets/named'
import { type AssetItem, queryText } from '~/features/assets/query'
import { newGroup, ruleOf, writeFilter } from '~/features/filters/tree'

export type FeedbackTotal = Schemas['FeedbackTotal']

const key = ['shares', 'feedback'] as const
const perPage = 25

/** A page of the feedback of a share's guests, summarized by asset. */
export function useFeedbackTotals(share: number, page: number) {
  return useQuery({
    queryKey: [...key, 'totals', share, page],
    placeholderData: keepPreviousData,
    staleTime: 0, // guests change it
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/shares/{share}/feedback/summary', {
          params: { path: { share }, query: { page, per_page: perPage } },
          signal,
        }),
      ),
  })
}

/** A page of the feedback of each guest on an asset. */
export function useFeedback(share: number, gaid: string, page: number) {
  return useQuery({
    queryKey: [...key, 'of', share, gaid, page],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/shares/{share}/feedback', {
          params: { path: { share }, query: { gaid, page, per_page: perPage } },
          signal,
        }),
      ),
  })
}

/** The assets with feedback, as far as they exist. */
export function useFeedbackAssets(rows: readonly FeedbackTotal[]): ReadonlyMap<string, AssetItem> {
  const client = useQueryClient()
  const gaids = rows.flatMap(r => r.gaid ?? []).sort()
  const { data } = useQuery({
    queryKey: [...key, 'assets', gaids],
    enabled: gaids.length > 0,
    placeholderData: keepPreviousData,
    queryFn: () => namedAssets(client, gaids),
  })
  return new Map(data?.map(a => [a.gaid, a]))
}

/** The URL of a CSV with all feedback of a share. */
export function feedbackTable(share: number): string {
  return mounted(`/api/v1/shares/${share}/feedback/download`)
}

/** The URL of the assets picked by a share's guests. */
export function pickedIn(share: number): string {
  const rule = ruleOf('asset.picked_in', 'in', [share])
  return `/${queryText({ filters: writeFilter(newGroup(false, [rule])) })}`
}
