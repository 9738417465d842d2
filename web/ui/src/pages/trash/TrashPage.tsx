import { Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { Empty } from '~/components/state/Empty'
import { usePageTitle } from '~/components/title'
import { Browser } from '~/features/assets/Browser'
import { ListBar } from '~/features/assets/ListBar'
import { useAssetQuery } from '~/features/assets/query'
import { TrashActions } from '~/features/trash/TrashActions'
import { texts } from '~/features/trash/texts'
import { Viewer } from '~/features/viewer/Viewer'
import { useTexts } from '~/text/context'

export default function TrashPage() {
  const t = useTexts(texts)
  const { gaid } = useParams()
  const query = useAssetQuery()
  const source = useMemo(() => ({ place: 'trash', query }) as const, [query])
  usePageTitle(t.trash)
  return (
    <Browser
      heading={t.trash}
      source={source}
      path="/trash"
      open={gaid}
      bar={list => <ListBar list={list} actions={<TrashActions list={list} />} />}
      viewer={props => <Viewer {...props} />}
      empty={
        <Empty icon={<Trash2 />} title={t.empty}>
          <p>{t.emptyHelp}</p>
        </Empty>
      }
    />
  )
}
