import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useCollectionTypes } from '~/features/collections/collections'
import { useTexts } from '~/text/context'
import { useAllFields, useAssetClasses } from './all'
import css from './Definitions.module.css'
import { NamedList } from './NamedList'
import { texts } from './texts'

/** The asset classes with the fields of each, and the collection types. */
export function ClassLists() {
  const t = useTexts(texts)
  const classes = useAssetClasses()
  const types = useCollectionTypes()
  const fields = useAllFields()
  const error = classes.error ?? types.error
  const fieldsOf = (id: number) =>
    fields.data?.filter(f => f.asset_class_ids.length === 0 || f.asset_class_ids.includes(id)) ?? []
  return (
    <>
      <div className={css.head}>
        <h1>{t.classes}</h1>
      </div>
      <p className={css.help}>{t.classesHelp}</p>
      {error && <Notice kind="danger">{error.message}</Notice>}
      {classes.isPending && <Busy label={t.loading} />}
      <NamedList
        of="asset-classes"
        words={{ create: t.newClass, none: t.noClasses, removeHelp: t.removeClassHelp }}
        items={classes.data}
        about={c => {
          const labels = fieldsOf(c.id).map(f => f.label)
          return labels.length > 0 ? t.hasFields(labels.join(', ')) : t.hasNoFields
        }}
      />
      <h2>{t.collectionTypes}</h2>
      <p className={css.help}>{t.collectionTypesHelp}</p>
      <NamedList
        of="collection-types"
        words={{ create: t.newCollectionType, none: t.noCollectionTypes, removeHelp: t.removeTypeHelp }}
        items={types.data}
      />
    </>
  )
}
