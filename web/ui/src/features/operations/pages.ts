import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError, api, data, type Schemas } from '~/api/client'
import { useLive } from '~/api/live'
import { isGoing, type Operation } from './queries'

type State = Schemas['OperationState']
export type ItemState = Schemas['ItemState']

export interface OperationFilter {
  state: State | ''
  type: Operation['type'] | ''
}

const perPage = 25

/** A page of the operations, newest first, with live progress. */
export function useOperationList(filter: OperationFilter, page: number) {
  const client = useQueryClient()
  const key = ['operations', 'list', filter, page] as const
  const answer = useQuery({
    queryKey: key,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/operations', {
          params: {
            query: {
              page,
              per_page: perPage,
              ...(filter.state && { state: filter.state }),
              ...(filter.type && { type: filter.type }),
            },
          },
          signal,
        }),
      ),
  })
  useLive('operation', e => {
    client.setQueryData<typeof answer.data>(
      key,
      old => old && { ...old, data: old.data.map(o => (o.id === e.id ? followed(o, e) : o)) },
    )
  })
  return answer
}

/** One operation, with live progress. */
export function useOperation(id: number) {
  const client = useQueryClient()
  const key = ['operations', 'one', id] as const
  const answer = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/operations/{operation}', { params: { path: { operation: id } }, signal })))
        .data,
    retry: (count, error) => !(error instanceof ApiError && error.status === 404) && count < 2,
  })
  useLive('operation', e => {
    if (e.id === id) client.setQueryData<Operation>(key, old => old && followed(old, e))
  })
  return answer
}

function followed(o: Operation, e: Schemas['StreamOperation']): Operation {
  return { ...o, state: e.status, progress: e.progress }
}

/** The results of an operation for its assets, page by page. */
export function useOutcomes(id: number, state: ItemState | '', page: number, done: number) {
  return useQuery({
    queryKey: ['operations', 'items', id, state, page, Math.floor(done / perPage)],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/operations/{operation}/items', {
          params: { path: { operation: id }, query: { page, per_page: perPage, ...(state && { state }) } },
          signal,
        }),
      ),
  })
}

/** Calls fn once for each operation that ends while the page is open. */
export function useEnded(fn: (operation: Operation) => void) {
  const told = useRef(new Set<number>())
  useLive('operation', async e => {
    if (isGoing({ state: e.status }) || told.current.has(e.id)) return
    told.current.add(e.id)
    const path = { operation: e.id }
    const answer = await data(api.GET('/api/v1/operations/{operation}', { params: { path } })).catch(
      () => null,
    )
    // An operation that ended earlier may change later, when the file of an export expires.
    if (answer && answer.data.updated_at === answer.data.finished_at) fn(answer.data)
  })
}

/** The URL of an export's file on this site. */
export function downloadPath(o: Operation): string | null {
  return o.download && new URL(o.download.url, window.location.href).pathname
}
