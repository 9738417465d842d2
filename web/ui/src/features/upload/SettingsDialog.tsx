import { useState } from 'react'
import { messagesAt } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Checkbox } from '~/components/field/Checkbox'
import { Form } from '~/components/field/Form'
import { Picker } from '~/components/field/Picker'
import { Select } from '~/components/field/Select'
import { useCollectionsNamed } from '~/features/collections/collections'
import { useAssetClasses } from '~/features/definitions/all'
import { useTexts } from '~/text/context'
import { useUploads } from './context'
import { MetadataInput, useRequiredFields } from './MetadataInput'
import { type Settings, saveSettings, useSettings } from './storedSettings'
import { texts } from './texts'

/** The settings of the next uploads: class, collections, and the fields that the class requires. */
export default function SettingsDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts)
  const uploads = useUploads()
  const [draft, setDraft] = useState<Settings>(useSettings())
  const change = (changes: Partial<Settings>) => setDraft(d => ({ ...d, ...changes }))
  const classes = (useAssetClasses().data ?? []).map(c => ({ id: String(c.id), text: c.name }))
  const required = useRequiredFields(draft.assetClass)
  const wrong = uploads.refused?.fields ?? {}
  const save = async () => {
    // Values of fields that only another class requires are dropped.
    const keys = new Set(required.map(f => f.key))
    const metadata = Object.fromEntries(Object.entries(draft.metadata).filter(([k]) => keys.has(k)))
    saveSettings({ ...draft, metadata })
    if (uploads.refused) await uploads.retryAll()
    onClose()
  }
  return (
    <Dialog title={t.settings} isOpen onClose={onClose}>
      <p>{t.settingsHelp}</p>
      <Form onSubmit={save}>
        {({ pending }) => (
          <>
            <Select
              label={t.assetClass}
              choices={[{ id: '', text: t.noClass }, ...classes]}
              value={String(draft.assetClass ?? '')}
              onChange={id => change({ assetClass: id ? Number(id) : null })}
              errors={wrong.asset_class_id ?? []}
            />
            <Collections
              value={draft.collections}
              onChange={collections => change({ collections })}
              errors={messagesAt(wrong, 'collection_ids')}
            />
            <Checkbox isSelected={draft.folders} onChange={folders => change({ folders })}>
              {t.folders}
            </Checkbox>
            {required.length > 0 && <h3>{t.required}</h3>}
            {required.map(f => (
              <MetadataInput
                key={f.key}
                field={f}
                value={draft.metadata[f.key] ?? null}
                onChange={v => setDraft(d => ({ ...d, metadata: withValue(d.metadata, f.key, v) }))}
                errors={messagesAt(wrong, `metadata.${f.key}`)}
              />
            ))}
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {t.save}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function withValue(metadata: Settings['metadata'], key: string, value: unknown): Settings['metadata'] {
  const { [key]: _, ...others } = metadata
  return value === null || value === '' ? others : { ...others, [key]: value }
}

interface CollectionsProps {
  value: Settings['collections']
  onChange: (value: Settings['collections']) => void
  errors: string[]
}

function Collections({ value, onChange, errors }: CollectionsProps) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  const found = useCollectionsNamed(text).data?.filter(c => !c.rules) ?? []
  return (
    <Picker
      label={t.collections}
      values={value.map(c => ({ id: String(c.id), text: c.name }))}
      onChange={ids =>
        onChange(
          ids
            .flatMap(id => [...value, ...found].find(c => String(c.id) === id) ?? [])
            .map(({ id, name }) => ({ id, name })),
        )
      }
      choices={found.map(c => ({ id: String(c.id), text: c.name }))}
      onSearch={setText}
      errors={errors}
    />
  )
}
