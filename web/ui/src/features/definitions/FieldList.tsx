import { GripVertical, ListChecks, MoreVertical, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton, GridList, GridListItem, useDragAndDrop } from 'react-aria-components'
import { ApiError } from '~/api/client'
import { Button, IconButton } from '~/components/button/Button'
import { Menu, MenuItem, MenuLine } from '~/components/menu/Menu'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import { useAllFields, useAssetClasses } from './all'
import css from './Definitions.module.css'
import { type Field, useChangeFields } from './definitions'
import { FieldDialog } from './FieldDialog'
import { RemoveFieldDialog } from './RemoveFieldDialog'
import { texts } from './texts'

type Doing = { what: 'edit' | 'remove'; field: Field } | { what: 'create' }

/** The custom fields in order; they are reordered by dragging or with their menus. */
export function FieldList() {
  const t = useTexts(texts)
  const fields = useAllFields()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  return (
    <>
      <div className={css.head}>
        <h1>{t.fields}</h1>
        <Button look="primary" onPress={() => setDoing({ what: 'create' })}>
          <Plus /> {t.newField}
        </Button>
      </div>
      <p className={css.help}>{t.fieldsHelp}</p>
      {fields.error && <Notice kind="danger">{fields.error.message}</Notice>}
      {fields.isPending && <Busy label={t.loading} />}
      {fields.data?.length === 0 && (
        <Empty icon={<ListChecks />} title={t.noFields}>
          <p>{t.noFieldsHelp}</p>
        </Empty>
      )}
      {fields.data && fields.data.length > 0 && <Rows fields={fields.data} onDo={setDoing} />}
      {doing && doing.what !== 'remove' && (
        <FieldDialog field={doing.what === 'edit' ? doing.field : null} onClose={close} />
      )}
      {doing?.what === 'remove' && <RemoveFieldDialog field={doing.field} onClose={close} />}
    </>
  )
}

function Rows({ fields, onDo }: { fields: Field[]; onDo: (d: Doing) => void }) {
  const t = useTexts(texts)
  const { move } = useChangeFields()
  const classes = useAssetClasses()
  const put = (key: string, after: string | null) =>
    move.mutateAsync({ key, after }).catch(e => {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    })
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: keys => [...keys].map(k => ({ 'application/x-dal-field': String(k) })),
    onReorder: e => {
      const [key] = e.keys
      const others = fields.filter(f => f.key !== key)
      const at = others.findIndex(f => f.key === e.target.key)
      const after = e.target.dropPosition === 'after' ? others[at] : others[at - 1]
      void put(String(key), after?.key ?? null)
    },
  })
  const about = (f: Field) => {
    const names = f.asset_class_ids.map(id => classes.data?.find(c => c.id === id)?.name ?? '…')
    return [t.types[f.type], f.is_required && t.required, names.length > 0 && t.onlyFor(names.join(', '))]
      .filter(Boolean)
      .join(' · ')
  }
  return (
    <GridList
      aria-label={t.fields}
      className={css.list}
      dragAndDropHooks={dragAndDropHooks}
      onAction={key => {
        const field = fields.find(f => f.key === key)
        if (field) onDo({ what: 'edit', field })
      }}
    >
      {fields.map((f, i) => (
        <GridListItem key={f.key} id={f.key} textValue={f.label} className={css.item}>
          <AriaButton slot="drag" className={css.grip} aria-label={t.drag(f.label)}>
            <GripVertical />
          </AriaButton>
          <span className={css.words}>
            <span className={css.name}>{f.label}</span>
            <span className={css.about}>{about(f)}</span>
          </span>
          <code className={css.key}>{f.key}</code>
          <Menu
            label={t.actionsOf(f.label)}
            button={
              <IconButton label={t.actionsOf(f.label)}>
                <MoreVertical />
              </IconButton>
            }
          >
            <MenuItem onAction={() => onDo({ what: 'edit', field: f })}>{t.edit}</MenuItem>
            <MenuItem isDisabled={i === 0} onAction={() => void put(f.key, fields[i - 2]?.key ?? null)}>
              {t.up}
            </MenuItem>
            <MenuItem
              isDisabled={i === fields.length - 1}
              onAction={() => void put(f.key, fields[i + 1]?.key ?? null)}
            >
              {t.down}
            </MenuItem>
            <MenuLine />
            <MenuItem danger onAction={() => onDo({ what: 'remove', field: f })}>
              {t.removeQuestion}
            </MenuItem>
          </Menu>
        </GridListItem>
      ))}
    </GridList>
  )
}
