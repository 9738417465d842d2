import { useQuery } from '@tanstack/react-query'
import { Images } from 'lucide-react'
import { useMemo } from 'react'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { usePageTitle } from '~/components/title'
import { Grid, shownRatio } from '~/features/assets/Grid'
import { assetPage, useAssetQuery } from '~/features/assets/query'
import { texts } from '~/features/assets/texts'
import { useTexts } from '~/text/context'

export default function LibraryPage() {
  const t = useTexts(texts)
  const query = useAssetQuery()
  const first = useQuery(assetPage(query, 1))
  usePageTitle(query.q ?? '')
  const ratios = useMemo(
    () =>
      Float32Array.from({ length: first.data?.meta.total ?? 0 }, (_, i) => {
        const a = first.data?.data[i]
        return a ? shownRatio(a.width, a.height) : 1.5
      }),
    [first.data],
  )
  if (first.error) return <Notice kind="danger">{first.error.message}</Notice>
  if (!first.data) return <Busy label={t.loading} />
  if (first.data.meta.total === 0) {
    return query.q || query.filters ? (
      <Empty title={t.none}>
        <p>{t.noneHelp}</p>
      </Empty>
    ) : (
      <Empty icon={<Images />} title={t.empty}>
        <p>{t.emptyHelp}</p>
      </Empty>
    )
  }
  return <Grid query={query} ratios={ratios} />
}
