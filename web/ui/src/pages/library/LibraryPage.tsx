import { Images } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { Empty } from '~/components/state/Empty'
import { usePageTitle } from '~/components/title'
import { Browser } from '~/features/assets/Browser'
import { ListBar } from '~/features/assets/ListBar'
import { type AssetQuery, useAssetQuery } from '~/features/assets/query'
import { texts } from '~/features/assets/texts'
import { ActiveFilters } from '~/features/search/ActiveFilters'
import { FilterButton } from '~/features/search/FilterButton'
import { Matches } from '~/features/search/Matches'
import { NoResults } from '~/features/search/NoResults'
import { Notes } from '~/features/search/Notes'
import { SavedSearches } from '~/features/search/SavedSearches'
import { useSettled } from '~/features/search/settled'
import { SelectedActions } from '~/features/selected/SelectedActions'
import { GridKeys } from '~/features/triage/GridKeys'
import { Viewer } from '~/features/viewer/Viewer'
import { useTexts } from '~/text/context'

const Panel = lazy(() => import('~/features/search/Panel'))

export default function LibraryPage() {
  const t = useTexts(texts)
  const { gaid } = useParams()
  const [params, setParams] = useSearchParams()
  const [filtering, setFiltering] = useState(false)
  const query = useAssetQuery()
  const source = useMemo(() => ({ place: 'library', query }) as const, [query])
  const settled = useSettled(source)
  const change = (changes: Partial<AssetQuery>) => {
    for (const [name, value] of Object.entries(changes)) {
      if (value) params.set(name, value)
      else params.delete(name)
    }
    setParams(params)
  }
  usePageTitle(query.q ?? '')
  return (
    <Browser
      heading={t.assets}
      source={settled}
      path="/"
      open={gaid}
      bar={list => (
        <div>
          <GridKeys list={list} />
          <ListBar
            list={list}
            actions={<SelectedActions list={list} />}
            reasons={<Matches source={settled} />}
            tools={
              <>
                <FilterButton isOn={filtering} onChange={setFiltering} />
                <SavedSearches query={query} />
              </>
            }
          />
          <ActiveFilters query={query} onChange={change} />
          <Notes source={settled} />
        </div>
      )}
      side={
        filtering && (
          <Suspense>
            <Panel query={query} onChange={change} onClose={() => setFiltering(false)} />
          </Suspense>
        )
      }
      viewer={props => <Viewer {...props} />}
      empty={
        settled.query.q || settled.query.filters ? (
          <NoResults query={settled.query} />
        ) : (
          <Empty icon={<Images />} title={t.empty}>
            <p>{t.emptyHelp}</p>
          </Empty>
        )
      }
    />
  )
}
