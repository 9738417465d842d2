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
import { EditDialog } from '~/features/collections/EditDialog'
import { texts } from '~/features/collections/texts'
import { useTexts } from '~/text/context'

export default function CollectionsPage() {
  const t = useTexts(texts)
  const children = useChildren(null)
  const [creating, setCreating] = useState(false)
  const collections = children.data?.pages.flatMap(p => p.data) ?? []
  usePageTitle(t.collections)
  return (
    <div className={css.page}>
      <div className={css.head}>
        <h1>{t.collections}</h1>
        <Button look="primary" onPress={() => setCreating(true)}>
          <Plus /> {t.create}
        </Button>
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
      {creating && <EditDialog collection={null} parent={null} onClose={() => setCreating(false)} />}
    </div>
  )
}
