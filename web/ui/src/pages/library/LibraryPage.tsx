import { Images } from 'lucide-react'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { Empty } from '~/components/state/Empty'
import { usePageTitle } from '~/components/title'
import { Browser } from '~/features/assets/Browser'
import { ListBar } from '~/features/assets/ListBar'
import { useAssetQuery } from '~/features/assets/query'
import { texts } from '~/features/assets/texts'
import { SelectedActions } from '~/features/selected/SelectedActions'
import { Viewer } from '~/features/viewer/Viewer'
import { useTexts } from '~/text/context'

export default function LibraryPage() {
  const t = useTexts(texts)
  const { gaid } = useParams()
  const query = useAssetQuery()
  const source = useMemo(() => ({ place: 'library', query }) as const, [query])
  usePageTitle(query.q ?? '')
  return (
    <Browser
      source={source}
      path="/"
      open={gaid}
      bar={list => <ListBar list={list} actions={<SelectedActions list={list} />} />}
      viewer={props => <Viewer {...props} />}
      empty={
        query.q || query.filters ? (
          <Empty title={t.none}>
            <p>{t.noneHelp}</p>
          </Empty>
        ) : (
          <Empty icon={<Images />} title={t.empty}>
            <p>{t.emptyHelp}</p>
          </Empty>
        )
      }
    />
  )
}
