import type { ReactNode } from 'react'
import { Busy } from '../state/Busy'
import { Notice } from '../state/Notice'
import { Pager } from './Pager'

interface PagedProps<T> {
  /** A page as the server sends it. */
  list: {
    data: { data: readonly T[]; meta: { last_page: number } } | undefined
    error: Error | null
    isPending: boolean
  }
  /** Whether what is wrong is said elsewhere, beside the fields of a filter. */
  hidesError?: boolean
  loading: string
  /** What stands there when the list has nothing. */
  empty: ReactNode
  page: number
  onPage: (page: number) => void
  children: (rows: readonly T[]) => ReactNode
}

/** A list of several pages: that it comes, why it does not, that it has nothing, or its rows and the way to the others. */
export function Paged<T>(props: PagedProps<T>) {
  const { list, hidesError = false, loading, empty, page, onPage, children } = props
  return (
    <>
      {list.error && !hidesError && <Notice kind="danger">{list.error.message}</Notice>}
      {list.isPending && <Busy label={loading} />}
      {list.data?.data.length === 0 && empty}
      {list.data && list.data.data.length > 0 && children(list.data.data)}
      {list.data && <Pager page={page} last={list.data.meta.last_page} onChange={onPage} />}
    </>
  )
}
