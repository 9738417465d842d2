import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AssetSource, assetPage } from '~/features/assets/query'

/**
 * The source whose list can be shown: the one that is asked for, or the one
 * before it until the new one's first page is here. What nobody waits for any
 * more is cancelled.
 */
export function useSettled(source: AssetSource): { settled: AssetSource; isStale: boolean } {
  const { isSuccess, isError } = useQuery(assetPage(source, 0))
  const [settled, setSettled] = useState(source)
  if (settled !== source && (isSuccess || isError)) setSettled(source)
  return { settled, isStale: settled !== source }
}
