import type { ReactNode } from 'react'
import { Busy } from '../state/Busy'
import { Notice } from '../state/Notice'
import { Pager } from './Pager'

interface PagedProps<T> {
  /** A page in the server's format. */
  list: {
    data: { data: readonly T[]; meta: { last_page: number } } | undefined
    error: Error | null
    isPending: boolean
  }
  /** Whether errors are displayed elsewhere, beside the fields of a filter. */
  hidesError?: boolean
  loading: string
  /** Shown if the list is empty. */
  empty: ReactNode
  page: number
  onPage: (page: number) => void
  children: (rows: readonly T[]) => ReactNode
}

/** A list with several pages: its loading state, its error, its empty state, or its rows and a pager. */
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
