import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { Select } from '~/components/field/Select'
import { Switch } from '~/components/field/Switch'
import { TextField } from '~/components/field/TextField'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { CoverField } from './CoverField'
import {
  type Collection,
  type CollectionDetail,
  useChangeCollections,
  useCollection,
  useCollectionTypes,
} from './collections'
import { useRights } from './rights'
import { texts } from './texts'
import { ViewersField } from './ViewersField'

interface EditDialogProps {
  /** The collection to edit; null for a new one. */
  id: number | null
  /** The parent of a new one. */
  parent: number | null
  onClose: () => void
  onSaved?: (c: Collection) => void
}

/** Creates a collection, or changes its name and its viewers. */
export function EditDialog({ id, ...props }: EditDialogProps) {
  const t = useTexts(texts)
  return (
    <Dialog title={id ? t.detailsTitle : t.create} isOpen onClose={props.onClose}>
      {id ? <Loaded id={id} {...props} /> : <Fields collection={null} {...props} />}
    </Dialog>
  )
}

function Loaded({ id, ...props }: EditDialogProps & { id: number }) {
  const t = useTexts(texts)
  const { data, error } = useCollection(id)
  if (error) return <Notice kind="danger">{error.message}</Notice>
  return data ? <Fields collection={data} {...props} /> : <Busy label={t.loading} />
}

const untyped = '0'

function Fields({
  collection: c,
  parent,
  onClose,
  onSaved,
}: Omit<EditDialogProps, 'id'> & { collection: CollectionDetail | null }) {
  const t = useTexts(texts)
  const { create, update } = useChangeCollections()
  const { mayRestrict } = useRights()
  const types = useCollectionTypes()
  const [name, setName] = useState(c?.name ?? '')
  const [description, setDescription] = useState(c?.description ?? '')
  const [type, setType] = useState(String(c?.collection_type_id ?? untyped))
  const [active, setActive] = useState(c?.is_active ?? true)
  const [cover, setCover] = useState(c?.cover_gaid ?? null)
  const [visibility, setVisibility] = useState(c?.visibility ?? 'everyone')
  const [viewers, setViewers] = useState<readonly number[]>(c?.viewer_ids ?? [])
  const submit = async () => {
    const body = {
      name,
      description: description || null,
      collection_type_id: type === untyped ? null : Number(type),
      is_active: active,
      ...(cover === (c?.cover_gaid ?? null) ? {} : { cover_gaid: cover }),
      ...(mayRestrict(c) ? { visibility, viewer_ids: [...viewers] } : {}),
    }
    const saved = c
      ? await update.mutateAsync({ id: c.id, body })
      : await create.mutateAsync({ ...body, parent_id: parent })
    onSaved?.(saved)
    onClose()
  }
  return (
    <Form onSubmit={submit}>
      {({ pending, errors }) => (
        <>
          <TextField
            label={t.name}
            value={name}
            onChange={setName}
            isRequired
            autoFocus
            errors={errors.name ?? []}
          />
          <TextField
            label={t.description}
            value={description}
            onChange={setDescription}
            long
            errors={errors.description ?? []}
          />
          {(types.data?.length ?? 0) > 0 && (
            <Select
              label={t.type}
              choices={[
                { id: untyped, text: t.noType },
                ...(types.data ?? []).map(n => ({ id: String(n.id), text: n.name })),
              ]}
              value={type}
              onChange={setType}
              errors={errors.collection_type_id ?? []}
            />
          )}
          {mayRestrict(c) && (
            <Select
              label={t.visibility}
              choices={[
                { id: 'everyone', text: t.everyone },
                { id: 'restricted', text: t.restricted },
              ]}
              value={visibility}
              onChange={setVisibility}
              errors={errors.visibility ?? []}
            />
          )}
          {mayRestrict(c) && visibility === 'restricted' && (
            <ViewersField value={viewers} onChange={setViewers} errors={errors} />
          )}
          {c && <CoverField gaid={cover} onChange={setCover} errors={errors.cover_gaid ?? []} />}
          {c && <Switch label={t.active} help={t.activeHelp} value={active} onChange={setActive} />}
          <DialogButtons>
            <Button onPress={onClose}>{t.cancel}</Button>
            <Button type="submit" look="primary" isPending={pending}>
              {c ? t.save : t.make}
            </Button>
          </DialogButtons>
        </>
      )}
    </Form>
  )
}
