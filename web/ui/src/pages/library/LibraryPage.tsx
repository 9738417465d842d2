import { Images, SlidersHorizontal } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { IconButton } from '~/components/button/Button'
import { Empty } from '~/components/state/Empty'
import { usePageTitle } from '~/components/title'
import { Browser } from '~/features/assets/Browser'
import { ListBar } from '~/features/assets/ListBar'
import { type AssetQuery, useAssetQuery } from '~/features/assets/query'
import { texts } from '~/features/assets/texts'
import { Panel } from '~/features/search/Panel'
import { SavedSearches } from '~/features/search/SavedSearches'
import { texts as searchTexts } from '~/features/search/texts'
import { SelectedActions } from '~/features/selected/SelectedActions'
import { GridKeys } from '~/features/triage/GridKeys'
import { Viewer } from '~/features/viewer/Viewer'
import { useTexts } from '~/text/context'

export default function LibraryPage() {
  const t = useTexts(texts)
  const s = useTexts(searchTexts)
  const { gaid } = useParams()
  const [params, setParams] = useSearchParams()
  const [filtering, setFiltering] = useState(() => params.has('filters'))
  const query = useAssetQuery()
  const source = useMemo(() => ({ place: 'library', query }) as const, [query])
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
      source={source}
      path="/"
      open={gaid}
      bar={list => (
        <>
          <GridKeys list={list} />
          <ListBar
            list={list}
            actions={<SelectedActions list={list} />}
            tools={
              <>
                <IconButton
                  label={s.filters}
                  aria-pressed={filtering}
                  onPress={() => setFiltering(!filtering)}
                >
                  <SlidersHorizontal />
                </IconButton>
                <SavedSearches query={query} />
              </>
            }
          />
        </>
      )}
      side={filtering && <Panel query={query} onChange={change} />}
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
