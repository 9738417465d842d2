import { useQuery } from '@tanstack/react-query'
import { ApiError, api, data, type Schemas } from '~/api/client'
import { useCan } from '~/features/session/rights'
import { useUser } from '~/features/session/session'
import type { Operation } from '../queries'

export type ImportTable = Schemas['ImportFile']
export type Column = Schemas['ImportColumn']

/** Uploads a table, whose columns the server reads; nothing is changed yet. */
export async function sendTable(file: File): Promise<ImportTable> {
  const form = new FormData()
  form.append('file', file)
  const answer = await data(
    api.POST('/api/v1/import-files', {
      body: form as unknown as { file: string }, // the OpenAPI types have no type for bytes
      bodySerializer: b => b,
    }),
  )
  return answer.data
}

const preferred = ['gaid', 'original_filename', 'checksum_sha256']

/** The columns that can identify assets, most reliable first. */
export function matchColumns(table: ImportTable): Column[] {
  const rank = (c: Column) => (preferred.includes(c.name) ? preferred.indexOf(c.name) : preferred.length)
  return table.columns.filter(c => c.matches).sort((a, b) => rank(a) - rank(b))
}

/** The table of the user's own import; null once it is deleted. */
export function useTable(o: Operation) {
  const can = useCan()
  const user = useUser()
  const file = o.spec.file_id
  return useQuery({
    queryKey: ['operations', 'table', file, o.state],
    enabled: file !== null && o.finished_at !== null && o.created_by.id === user.id && can('assets:write'),
    retry: false,
    queryFn: async ({ signal }) => {
      try {
        const params = { path: { file: file ?? 0 } }
        return (await data(api.GET('/api/v1/import-files/{file}', { params, signal }))).data
      } catch (e) {
        if (e instanceof ApiError && e.status === 404) return null
        throw e
      }
    },
  }).data
}
