import { useEffect } from 'react'

/** Names the page in the browser's tab and history. */
export function usePageTitle(title: string) {
  useEffect(() => {
    document.title = title ? `${title} · dal` : 'dal'
  }, [title])
}
