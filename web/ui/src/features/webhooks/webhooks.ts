import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, data, type Schemas } from '~/api/client'

export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['WebhookDelivery']
export type EventName = Schemas['EventSubscription']

const key = ['webhooks'] as const

type Group = 'asset' | 'collection' | 'share' | 'upload' | 'operation'

/** The group of each event type; the compiler checks that none of the API's is missing. */
const groupOf: Record<Exclude<EventName, '*' | 'webhook.test'>, Group> = {
  'asset.created': 'asset',
  'asset.updated': 'asset',
  'asset.deleted': 'asset',
  'asset.restored': 'asset',
  'collection.created': 'collection',
  'collection.updated': 'collection',
  'collection.deleted': 'collection',
  'share.created': 'share',
  'share.revoked': 'share',
  'upload.batch.completed': 'upload',
  'operation.completed': 'operation',
}

/** The event types of webhooks, by group. */
export const eventGroups: [Group, (keyof typeof groupOf)[]][] = (
  ['asset', 'collection', 'share', 'upload', 'operation'] as const
).map(group => [
  group,
  (Object.keys(groupOf) as (keyof typeof groupOf)[]).filter(name => groupOf[name] === group),
])

export function useWebhooks(page: number) {
  return useQuery({
    queryKey: [...key, 'list', page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      data(api.GET('/api/v1/webhooks', { params: { query: { page, per_page: 50 } }, signal })),
  })
}

export function useWebhook(id: number) {
  return useQuery({
    queryKey: [...key, 'one', id],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/webhooks/{id}', { params: { path: { id } }, signal }))).data,
    retry: (count, error) => !(error instanceof ApiError && error.status === 404) && count < 2,
  })
}

/** The deliveries of a webhook, newest first; reloaded while one is pending. */
export function useDeliveries(id: number, page: number) {
  return useQuery({
    queryKey: [...key, 'deliveries', id, page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { page, per_page: 25 } },
          signal,
        }),
      ),
    refetchInterval: q => (q.state.data?.data.some(d => d.status === 'pending') ? 2000 : false),
  })
}

/** Mutations of webhooks; their data is reloaded afterwards. */
export function useChangeWebhook() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: key })
  return {
    create: useMutation({
      mutationFn: async (body: Schemas['CreateWebhook']) =>
        (await data(api.POST('/api/v1/webhooks', { body }))).data,
      onSettled,
    }),
    update: useMutation({
      mutationFn: async ({ id, body }: { id: number; body: Schemas['UpdateWebhook'] }) =>
        (await data(api.PUT('/api/v1/webhooks/{id}', { params: { path: { id } }, body }))).data,
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (id: number) => api.DELETE('/api/v1/webhooks/{id}', { params: { path: { id } } }),
      onSuccess: () => client.invalidateQueries({ queryKey: [...key, 'list'] }),
    }),
    rotate: useMutation({
      mutationFn: async (id: number) =>
        (await data(api.POST('/api/v1/webhooks/{id}/rotate-secret', { params: { path: { id } } }))).data,
    }),
    test: useMutation({
      mutationFn: async (id: number) =>
        (await data(api.POST('/api/v1/webhooks/{id}/test', { params: { path: { id } } }))).data,
      onSettled,
    }),
    redeliver: useMutation({
      mutationFn: async ({ id, delivery }: { id: number; delivery: string }) =>
        api.POST('/api/v1/webhooks/{id}/deliveries/{delivery}/redeliver', {
          params: { path: { id, delivery } },
        }),
      onSettled,
    }),
  }
}
