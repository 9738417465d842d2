import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { useLive } from '~/api/live'
import type { LoadedList } from '~/features/assets/list'
import type { Selection } from '~/features/selection/selection'

export type Operation = Schemas['Operation']
export type Preview = Schemas['OperationPreview']
export type Start = Schemas['StartOperation']

const recent = ['operations'] as const
const going: readonly Operation['state'][] = ['pending', 'running', 'cancelling']

export function isGoing(o: Operation) {
  return going.includes(o.state)
}

/** What an operation works on: those selected by name, or the query of the list. */
export async function selectionOf(list: LoadedList, selection: Selection): Promise<Start['selection']> {
  if (selection.named) return { gaids: [...selection.named] }
  const { place, query } = list.source
  const except = new Set(selection.except)
  if (except.size > 0 || place !== 'library') {
    return { gaids: (await list.gaids(0, list.total - 1)).filter(g => !except.has(g)) }
  }
  return { ...(query.q && { q: query.q }), ...(query.filters && { filters: query.filters }) }
}

/** Says what an operation would do; nothing is changed. */
export async function preview(body: Start): Promise<Preview> {
  const answer = await data(
    api.POST('/api/v1/operations', {
      params: { query: { dry_run: true }, header: { 'Idempotency-Key': crypto.randomUUID() } },
      body,
    }),
  )
  return (answer as { data: Preview }).data
}

/** Starts operations. */
export function useStart() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ key, body }: { key: string; body: Start }) => {
      const answer = await data(
        api.POST('/api/v1/operations', { params: { header: { 'Idempotency-Key': key } }, body }),
      )
      return (answer as { data: Operation }).data
    },
    onSuccess: () => client.invalidateQueries({ queryKey: recent }),
  })
}

/** The latest operations, kept up to date. */
export function useOperations() {
  const client = useQueryClient()
  const answer = useQuery({
    queryKey: [...recent, 'latest'],
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/operations', { params: { query: { per_page: 10 } }, signal }))).data,
  })
  useLive('operation', e => {
    const known = answer.data?.some(o => o.id === e.id)
    if (!known || !going.includes(e.status)) void client.invalidateQueries({ queryKey: recent })
    client.setQueriesData<Operation[]>({ queryKey: [...recent, 'latest'] }, list =>
      list?.map(o => (o.id === e.id ? { ...o, state: e.status, progress: e.progress } : o)),
    )
  })
  return answer.data ?? []
}

export function useCancel() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: number) =>
      api.POST('/api/v1/operations/{operation}/cancel', { params: { path: { operation: id } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: recent }),
  })
}
