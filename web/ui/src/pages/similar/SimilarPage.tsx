import { Sparkles } from 'lucide-react'
import { useMemo } from 'react'
import { Link, useParams } from 'react-router'
import css from '~/components/page.module.css'
import { Empty } from '~/components/state/Empty'
import { usePageTitle } from '~/components/title'
import { useAsset } from '~/features/assets/asset'
import { Browser } from '~/features/assets/Browser'
import { SelectedActions } from '~/features/selected/SelectedActions'
import { SimilarBar } from '~/features/similar/SimilarBar'
import { texts } from '~/features/similar/texts'
import { GridKeys } from '~/features/triage/GridKeys'
import { Viewer } from '~/features/viewer/Viewer'
import { useTexts } from '~/text/context'

export default function SimilarPage() {
  const t = useTexts(texts)
  const { similar = '', gaid } = useParams()
  const asset = useAsset(similar)
  const source = useMemo(() => ({ place: { similar }, query: {} }), [similar])
  const title = asset.data ? t.similarTo(asset.data.title) : t.similar
  usePageTitle(title)
  return (
    <div className={css.split}>
      <div className={css.above}>
        <div className={css.head}>
          <h1>{title}</h1>
          <Link to={`/assets/${similar}`}>{t.back}</Link>
        </div>
      </div>
      <Browser
        source={source}
        path={`/assets/${similar}/similar`}
        open={gaid}
        bar={list => (
          <>
            <GridKeys list={list} />
            <SimilarBar list={list} actions={<SelectedActions list={list} />} />
          </>
        )}
        viewer={props => <Viewer {...props} />}
        empty={
          <Empty icon={<Sparkles />} title={t.none}>
            <p>{t.noneHelp}</p>
          </Empty>
        }
      />
    </div>
  )
}
