import { assetTable, useAssetUse } from '~/features/analytics/analytics'
import { texts } from '~/features/analytics/texts'
import { useFormat, useTexts } from '~/text/context'
import { Fact } from './Row'

/** The recent usage of an asset, for users with permission. */
export function Use({ gaid }: { gaid: string }) {
  const t = useTexts(texts)
  const format = useFormat()
  const { data } = useAssetUse(gaid)
  if (!data) return null
  return (
    <Fact name={t.lately30}>
      {format.plural(data.totals.views, t.oneView, t.manyViews)},{' '}
      {format.plural(data.totals.downloads, t.oneDownload, t.manyDownloads)}{' '}
      <a href={assetTable(gaid)} download>
        {t.assetTable}
      </a>
    </Fact>
  )
}
