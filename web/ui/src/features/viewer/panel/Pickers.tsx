import { useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { Select } from '~/components/field/Select'
import { statuses } from '~/features/assets/statuses'
import { useAssetClasses } from '~/features/definitions/all'
import { useCan } from '~/features/session/rights'
import { useTexts } from '~/text/context'
import css from './Panel.module.css'
import { ConflictNote } from './Row'
import type { EditProps } from './save'
import { texts } from './texts'
import { useEditable } from './useEditable'

const minutes = 60_000

interface PickerProps {
  label: string
  hideLabel?: boolean
  name: string
  value: string
  choices: { id: string; text: string }[]
  onSave: (value: string, force?: boolean) => Promise<unknown>
}

/** A choice of a few options, saved immediately. */
export function Picker({ name, value, choices, onSave, ...props }: PickerProps) {
  const field = useEditable({ name, value, onSave })
  return (
    <div data-field={name}>
      <Select
        {...props}
        choices={choices}
        value={field.draft}
        errors={field.errors}
        onChange={v => void field.commit(v)}
      />
      <ConflictNote conflict={field.conflict} theirs={choices.find(c => c.id === value)?.text ?? value} />
    </div>
  )
}

export function StatusSelect({ asset, save }: EditProps) {
  const t = useTexts(texts)
  const choices = statuses.map(id => ({ id, text: t.statuses[id] }))
  if (!save) {
    return <span className={css.quietTag}>{t.statuses[asset.workflow_status]}</span>
  }
  return (
    <Picker
      label={t.status}
      hideLabel
      name="workflow_status"
      value={asset.workflow_status}
      choices={choices}
      onSave={(v, force) => save({ workflow_status: v as Schemas['WorkflowStatus'] }, force)}
    />
  )
}

export function ClassSelect({ asset, save }: EditProps) {
  const t = useTexts(texts)
  const classes = useAssetClasses()
  if (!save || !classes.data || classes.data.length === 0) return null
  return (
    <Picker
      label={t.class}
      name="asset_class_id"
      value={String(asset.asset_class_id ?? '')}
      choices={[{ id: '', text: t.none }, ...classes.data.map(c => ({ id: String(c.id), text: c.name }))]}
      onSave={(v, force) => save({ asset_class_id: v ? Number(v) : null }, force)}
    />
  )
}

/** The owner of an asset, editable for users who can list names. */
export function OwnerSelect({ asset, save }: EditProps) {
  const t = useTexts(texts)
  const can = useCan()
  const people = useQuery({
    queryKey: ['users', 'owners'],
    enabled: can('collections:write') && save !== undefined,
    staleTime: 5 * minutes,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/users/names', { params: { query: { per_page: 100 } }, signal }))).data,
  })
  if (!save || !people.data) return null
  const choices = people.data.map(p => ({ id: String(p.id), text: p.name }))
  const { owner } = asset
  if (owner && !choices.some(c => c.id === String(owner.id))) {
    choices.unshift({ id: String(owner.id), text: owner.name })
  }
  return (
    <Picker
      label={t.owner}
      name="owner_id"
      value={String(owner?.id ?? '')}
      choices={[{ id: '', text: t.none }, ...choices]}
      onSave={(v, force) => save({ owner_id: v ? Number(v) : null }, force)}
    />
  )
}
