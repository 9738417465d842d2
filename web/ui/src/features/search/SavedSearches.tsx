import { Bookmark, MoreVertical } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError } from '~/api/client'
import { Button, IconButton } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import type { AssetQuery } from '~/features/assets/query'
import { useTexts } from '~/text/context'
import css from './SavedSearches.module.css'
import { type SavedSearch, savedHref, savedQuery, useChangeSaved, useSavedSearches } from './saved'
import { texts } from './texts'

/** The user's saved searches, with a button to save the current one. */
export function SavedSearches({ query }: { query: AssetQuery }) {
  const t = useTexts(texts)
  const [isOpen, setOpen] = useState(false)
  const saved = useSavedSearches(isOpen)
  const close = () => setOpen(false)
  return (
    <>
      <IconButton label={t.savedSearches} onPress={() => setOpen(true)}>
        <Bookmark />
      </IconButton>
      <Dialog title={t.savedSearches} isOpen={isOpen} onClose={close}>
        {saved.error && <Notice kind="danger">{saved.error.message}</Notice>}
        {saved.isPending && <p role="status">{t.loading}</p>}
        {saved.data?.length === 0 && <p>{t.noneSaved}</p>}
        <ul className={css.list}>
          {saved.data?.map(s => (
            <Row key={s.id} search={s} query={query} onClose={close} />
          ))}
        </ul>
        <Save query={query} />
      </Dialog>
    </>
  )
}

const isSearch = (query: AssetQuery) => Boolean(query.q || query.filters)

/** Shows the server's error if an action fails. */
async function told(work: Promise<unknown>) {
  try {
    await work
    return true
  } catch (e) {
    if (!(e instanceof ApiError)) throw e
    toast({ text: e.message })
    return false
  }
}

function Row({ search, query, onClose }: { search: SavedSearch; query: AssetQuery; onClose: () => void }) {
  const t = useTexts(texts)
  const navigate = useNavigate()
  const { create, update, remove } = useChangeSaved()
  const [isRenaming, setRenaming] = useState(false)
  if (isRenaming) return <Rename search={search} onDone={() => setRenaming(false)} />
  const replace = async () => {
    if (await told(update.mutateAsync({ id: search.id, query: savedQuery(query) }))) {
      toast({ text: t.replaced(search.name) })
    }
  }
  const drop = async () => {
    if (!(await told(remove.mutateAsync(search.id)))) return
    const { name, query } = search
    toast({
      text: t.removed(name),
      action: { label: t.undo, run: () => void told(create.mutateAsync({ name, query })) },
    })
  }
  return (
    <li className={css.item}>
      <Button
        look="quiet"
        className={css.name ?? ''}
        onPress={() => {
          onClose()
          void navigate(savedHref(search))
        }}
      >
        {search.name}
      </Button>
      <Menu
        label={t.actionsFor(search.name)}
        button={
          <IconButton label={t.actionsFor(search.name)}>
            <MoreVertical />
          </IconButton>
        }
      >
        <MenuItem onAction={() => setRenaming(true)}>{t.rename}</MenuItem>
        <MenuItem isDisabled={!isSearch(query)} onAction={() => void replace()}>
          {t.replace}
        </MenuItem>
        <MenuItem danger onAction={() => void drop()}>
          {t.remove}
        </MenuItem>
      </Menu>
    </li>
  )
}

function Rename({ search, onDone }: { search: SavedSearch; onDone: () => void }) {
  const t = useTexts(texts)
  const { update } = useChangeSaved()
  const [name, setName] = useState(search.name)
  return (
    <li>
      <Form
        onSubmit={async () => {
          await update.mutateAsync({ id: search.id, name })
          onDone()
        }}
      >
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.name}
              value={name}
              onChange={setName}
              autoFocus
              maxLength={255}
              errors={Object.values(errors).flat()}
            />
            <DialogButtons>
              <Button onPress={onDone}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {t.rename}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </li>
  )
}

function Save({ query }: { query: AssetQuery }) {
  const t = useTexts(texts)
  const { create } = useChangeSaved()
  const [name, setName] = useState('')
  if (!isSearch(query)) return null
  return (
    <Form
      onSubmit={async () => {
        await create.mutateAsync({ name, query: savedQuery(query) })
        toast({ text: t.saved(name) })
        setName('')
      }}
    >
      {({ pending, errors }) => (
        <>
          <TextField
            label={t.saveAs}
            value={name}
            onChange={setName}
            isRequired
            maxLength={255}
            errors={Object.values(errors).flat()}
          />
          <DialogButtons>
            <Button type="submit" look="primary" isPending={pending}>
              {t.save}
            </Button>
          </DialogButtons>
        </>
      )}
    </Form>
  )
}
