import { ChevronRight, Folder, MoreVertical } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { Button, IconButton } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Menu, MenuItem } from '~/components/menu/Menu'
import css from '~/components/page.module.css'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { usePageTitle } from '~/components/title'
import { toast } from '~/components/toast/Toast'
import { Browser } from '~/features/assets/Browser'
import { ListBar } from '~/features/assets/ListBar'
import { useAssetQuery } from '~/features/assets/query'
import { Cards } from '~/features/collections/Cards'
import {
  type CollectionDetail,
  useChangeCollections,
  useCollection,
} from '~/features/collections/collections'
import { EditDialog } from '~/features/collections/EditDialog'
import { texts } from '~/features/collections/texts'
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
  usePageTitle(collection?.name ?? t.collections)
  return (
    <div className={css.split}>
      <div className={css.above}>
        {error && <Notice kind="danger">{error.message}</Notice>}
        {collection && <Head collection={collection} />}
        {collection && collection.children.length > 0 && <Cards collections={collection.children} />}
      </div>
      <Browser
        source={source}
        path={`/collections/${id}`}
        open={params.gaid}
        bar={list => (
          <>
            <GridKeys list={list} />
            <ListBar list={list} actions={<SelectedActions list={list} />} />
          </>
        )}
        viewer={props => <Viewer {...props} />}
        empty={
          <Empty icon={<Folder />} title={t.empty}>
            <p>{t.emptyHelp}</p>
          </Empty>
        }
      />
    </div>
  )
}

function Head({ collection }: { collection: CollectionDetail }) {
  const t = useTexts(texts)
  const navigate = useNavigate()
  const { remove } = useChangeCollections()
  const [dialog, setDialog] = useState<'edit' | 'create' | 'remove' | null>(null)
  const close = () => setDialog(null)
  return (
    <>
      <nav className={css.trail} aria-label={t.trail}>
        <Link to="/collections">{t.collections}</Link>
        {collection.parent && (
          <>
            <ChevronRight size={14} aria-hidden />
            <Link to={`/collections/${collection.parent.id}`}>{collection.parent.name}</Link>
          </>
        )}
      </nav>
      <div className={css.head}>
        <h1>{collection.name}</h1>
        <Menu
          label={t.actions}
          button={
            <IconButton label={t.actions}>
              <MoreVertical />
            </IconButton>
          }
        >
          <MenuItem onAction={() => setDialog('edit')}>{t.edit}</MenuItem>
          <MenuItem onAction={() => setDialog('create')}>{t.create}</MenuItem>
          <MenuItem danger onAction={() => setDialog('remove')}>
            {t.remove}
          </MenuItem>
        </Menu>
      </div>
      {collection.description && <p>{collection.description}</p>}
      {dialog === 'edit' && <EditDialog collection={collection} parent={null} onClose={close} />}
      {dialog === 'create' && <EditDialog collection={null} parent={collection.id} onClose={close} />}
      <Dialog title={t.confirm(collection.name)} isOpen={dialog === 'remove'} onClose={close}>
        <p>{t.confirmHelp}</p>
        <DialogButtons>
          <Button onPress={close}>{t.cancel}</Button>
          <Button
            look="danger"
            isPending={remove.isPending}
            onPress={async () => {
              await remove.mutateAsync(collection.id)
              toast({ text: t.removed })
              void navigate(collection.parent ? `/collections/${collection.parent.id}` : '/collections')
            }}
          >
            {t.remove}
          </Button>
        </DialogButtons>
      </Dialog>
    </>
  )
}
