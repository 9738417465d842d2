import { useAssetUse } from '~/features/analytics/analytics'
import { texts } from '~/features/analytics/texts'
import { useFormat, useTexts } from '~/text/context'
import { Fact } from './Row'

/** How an asset was used lately, for those who may know. */
export function Use({ gaid }: { gaid: string }) {
  const t = useTexts(texts)
  const format = useFormat()
  const { data } = useAssetUse(gaid)
  if (!data) return null
  return (
    <Fact name={t.lately30}>
      {t.used(format.number(data.totals.views), format.number(data.totals.downloads))}
    </Fact>
  )
}
