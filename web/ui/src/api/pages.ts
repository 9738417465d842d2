import { data } from './client'

interface Page<T> {
  data: T[]
  meta: { current_page: number; last_page: number }
}

/** All items of a list that is always short, page by page. */
export async function allPages<T>(
  read: (params: { query: { page: number; per_page: number } }) => Promise<{ data?: Page<T> }>,
): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const answer = await data(read({ query: { page, per_page: 100 } }))
    items.push(...answer.data)
    if (answer.meta.current_page >= answer.meta.last_page) return items
  }
}
