import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AssetSource, assetOutline, assetPage } from '~/features/assets/query'

/**
 * The source whose list can be shown: the one that is asked for, or the one
 * before it until the new one's shape and first page are here. What nobody waits
 * for any more is cancelled.
 */
export function useSettled(source: AssetSource): AssetSource {
  const page = useQuery(assetPage(source, 0))
  const outline = useQuery(assetOutline(source, () => undefined))
  const [settled, setSettled] = useState(source)
  const isHere = (page.isSuccess && outline.isSuccess) || page.isError || outline.isError
  if (settled !== source && isHere) setSettled(source)
  return settled
}
