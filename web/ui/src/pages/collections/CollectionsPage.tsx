import { Folders, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '~/components/button/Button'
import css from '~/components/page.module.css'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { usePageTitle } from '~/components/title'
import { Cards } from '~/features/collections/Cards'
import { useChildren } from '~/features/collections/collections'
import { Dialogs, type Doing } from '~/features/collections/Dialogs'
import { useRights } from '~/features/collections/rights'
import { texts } from '~/features/collections/texts'
import { useTexts } from '~/text/context'

export default function CollectionsPage() {
  const t = useTexts(texts)
  const children = useChildren(null)
  const { mayChange } = useRights()
  const [doing, setDoing] = useState<Doing | null>(null)
  const collections = children.data?.pages.flatMap(p => p.data) ?? []
  const create = mayChange && (
    <Button look="primary" onPress={() => setDoing({ what: 'create', collection: null })}>
      <Plus /> {t.create}
    </Button>
  )
  usePageTitle(t.collections)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.collections}</h1>
        {create}
      </div>
      {children.error && <Notice kind="danger">{children.error.message}</Notice>}
      {children.isPending && <Busy label={t.loading} />}
      {children.data && collections.length === 0 && (
        <Empty icon={<Folders />} title={t.none}>
          <p>{t.noneHelp}</p>
        </Empty>
      )}
      <Cards collections={collections} />
      {children.hasNextPage && (
        <Button onPress={() => void children.fetchNextPage()} isPending={children.isFetchingNextPage}>
          {t.showMore}
        </Button>
      )}
      <Dialogs doing={doing} onClose={() => setDoing(null)} />
    </div>
  )
}
