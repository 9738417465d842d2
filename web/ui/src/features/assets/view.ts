import { useSearchParams } from 'react-router'

const kinds = ['grid', 'table'] as const
export type View = (typeof kinds)[number]

const storageKey = 'dal.view'

/** The view of lists: from the URL, or the last one used. */
export function useView(): [View, (view: View) => void] {
  const [params, setParams] = useSearchParams()
  const known = (name: string | null) => kinds.find(v => v === name)
  const view = known(params.get('view')) ?? known(localStorage.getItem(storageKey)) ?? 'grid'
  const choose = (next: View) => {
    localStorage.setItem(storageKey, next)
    setParams(
      old => {
        old.set('view', next)
        return old
      },
      { replace: true },
    )
  }
  return [view, choose]
}
