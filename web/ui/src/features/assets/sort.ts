import { useSearchParams } from 'react-router'
import type { AssetQuery, AssetSource } from './query'

export type SortBy = NonNullable<AssetQuery['sort_by']>
export type Direction = NonNullable<AssetQuery['sort_direction']>

const rising: readonly SortBy[] = ['title', 'original_filename', 'position']

/** The default direction of a sort key. */
export function usualDirection(by: SortBy): Direction {
  return rising.includes(by) ? 'asc' : 'desc'
}

/** The sort keys of a list. */
export function sortsOf({ place, query }: AssetSource): SortBy[] {
  return [
    ...(query.q ? (['relevance'] as const) : []),
    ...(typeof place === 'number' ? (['position'] as const) : []),
    'capture_date',
    'created_at',
    'updated_at',
    'title',
    'original_filename',
    'size',
    'rating',
  ]
}

/** The sort key and direction of a list, from the page's URL. */
export function useSort(source: AssetSource) {
  const [, setParams] = useSearchParams()
  const { q, sort_by, sort_direction } = source.query
  const usual: SortBy = q ? 'relevance' : typeof source.place === 'number' ? 'position' : 'created_at'
  const by = sort_by ?? usual
  const direction = sort_direction ?? usualDirection(by)
  const choose = (next: SortBy, way: Direction = usualDirection(next)) =>
    setParams(
      old => {
        set(old, 'sort_by', next === usual ? null : next)
        set(old, 'sort_direction', way === usualDirection(next) ? null : way)
        old.delete('at')
        return old
      },
      { replace: true },
    )
  return { by, direction, choose }
}

function set(params: URLSearchParams, name: string, value: string | null) {
  if (value === null) params.delete(name)
  else params.set(name, value)
}
