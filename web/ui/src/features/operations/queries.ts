import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { useLive } from '~/api/live'

export type Operation = Schemas['Operation']

const recent = ['operations'] as const
const going: readonly Operation['state'][] = ['pending', 'running', 'cancelling']

export function isGoing(o: Pick<Operation, 'state'>) {
  return going.includes(o.state)
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
