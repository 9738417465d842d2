import { Folder, SearchX, Sparkles } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useParams } from 'react-router'
import { ApiError } from '~/api/client'
import { ButtonLink } from '~/components/button/Button'
import css from '~/components/page.module.css'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { usePageTitle } from '~/components/title'
import { Browser } from '~/features/assets/Browser'
import { ListBar } from '~/features/assets/ListBar'
import type { LoadedList } from '~/features/assets/list'
import { useAssetQuery } from '~/features/assets/query'
import { Arrange, ArrangeActions } from '~/features/collections/Arrange'
import { Cards } from '~/features/collections/Cards'
import { CollectionMenu } from '~/features/collections/CollectionMenu'
import { type CollectionDetail, useCollection } from '~/features/collections/collections'
import { Dialogs, type Doing } from '~/features/collections/Dialogs'
import { Trail } from '~/features/collections/Trail'
import { texts } from '~/features/collections/texts'
import { Matches } from '~/features/search/Matches'
import { SelectedActions } from '~/features/selected/SelectedActions'
import { GridKeys } from '~/features/triage/GridKeys'
import { Viewer } from '~/features/viewer/Viewer'
import { useTexts } from '~/text/context'

export default function CollectionPage() {
  const t = useTexts(texts)
  const params = useParams()
  const id = Number(params.collection)
  const { data: collection, error } = useCollection(id)
  const query = useAssetQuery()
  const source = useMemo(() => ({ place: id, query }), [id, query])
  usePageTitle(collection?.name ?? (error ? t.missing : t.collections))
  if (error instanceof ApiError && error.status === 404) return <Missing />
  const bar = (list: LoadedList) => (
    <>
      <GridKeys list={list} />
      {collection && <Arrange collection={collection} list={list} />}
      <ListBar
        list={list}
        reasons={<Matches source={list.source} />}
        actions={
          <>
            {collection && <ArrangeActions collection={collection} list={list} />}
            <SelectedActions list={list} />
          </>
        }
      />
    </>
  )
  return (
    <div className={css.split}>
      <div className={css.above}>
        {error && <Notice kind="danger">{error.message}</Notice>}
        {collection && <Head collection={collection} />}
        {collection && collection.children.length > 0 && (
          <Cards collections={collection.children} label={t.inside} compact />
        )}
      </div>
      <Browser
        source={source}
        path={`/collections/${id}`}
        open={params.gaid}
        bar={bar}
        viewer={props => <Viewer {...props} />}
        empty={collection?.rules ? <NoMatch /> : <Nothing />}
      />
    </div>
  )
}

function Head({ collection }: { collection: CollectionDetail }) {
  const [doing, setDoing] = useState<Doing | null>(null)
  return (
    <>
      <Trail id={collection.id} />
      <div className={css.head}>
        <h1>{collection.name}</h1>
        <CollectionMenu collection={collection} onDo={setDoing} />
      </div>
      {collection.description && <p>{collection.description}</p>}
      <Dialogs doing={doing} onClose={() => setDoing(null)} shown={collection.id} />
    </>
  )
}

function Missing() {
  const t = useTexts(texts)
  return (
    <Empty icon={<SearchX />} title={t.missing} level={1}>
      <p>{t.missingHelp}</p>
      <ButtonLink href="/collections">{t.tree}</ButtonLink>
    </Empty>
  )
}

function Nothing() {
  const t = useTexts(texts)
  return (
    <Empty icon={<Folder />} title={t.empty}>
      <p>{t.emptyHelp}</p>
    </Empty>
  )
}

function NoMatch() {
  const t = useTexts(texts)
  return (
    <Empty icon={<Sparkles />} title={t.emptyRules}>
      <p>{t.emptyRulesHelp}</p>
    </Empty>
  )
}
