import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AssetSource, assetOutline, assetPage } from '~/features/assets/query'

/**
 * The source whose list can be displayed: the requested one, or the previous one until the outline and the first page
 * of the new one are loaded. Obsolete requests are cancelled.
 */
export function useSettled(source: AssetSource): AssetSource {
  const page = useQuery(assetPage(source, 0))
  const outline = useQuery(assetOutline(source, () => undefined))
  const [settled, setSettled] = useState(source)
  const isHere = (page.isSuccess && outline.isSuccess) || page.isError || outline.isError
  if (settled !== source && isHere) setSettled(source)
  return settled
}
