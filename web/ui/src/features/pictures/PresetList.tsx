import { useState } from 'react'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import css from '~/features/definitions/Definitions.module.css'
import { ItemList } from '~/features/definitions/ItemList'
import { useTexts } from '~/text/context'
import { PresetDialog } from './PresetDialog'
import { type Preset, useChangePresets, usePresets } from './presets'
import { texts } from './texts'

type Doing = { what: 'put' | 'remove'; preset: Preset | null }

/** The presets: create, change and delete. */
export function PresetList() {
  const t = useTexts(texts)
  const presets = usePresets()
  const { remove } = useChangePresets()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  return (
    <>
      <div className={css.head}>
        <h1>{t.presets}</h1>
      </div>
      <p className={css.help}>{t.presetsHelp}</p>
      {presets.error && <Notice kind="danger">{presets.error.message}</Notice>}
      {presets.isPending && <Busy label={t.loading} />}
      <ItemList
        items={presets.data}
        words={{ create: t.newPreset, change: t.edit, none: t.noPresets }}
        about={p => t.about(`${p.width ?? '…'} × ${p.height ?? '…'}`, t.fits[p.fit], p.format.toUpperCase())}
        onPut={preset => setDoing({ what: 'put', preset })}
        onRemove={preset => setDoing({ what: 'remove', preset })}
      />
      {doing?.what === 'put' && <PresetDialog preset={doing.preset} onClose={close} />}
      {doing?.what === 'remove' && doing.preset && (
        <RemoveDialog
          preset={doing.preset}
          onClose={close}
          onConfirm={async preset => {
            await remove.mutateAsync(preset.id)
            toast({ text: t.removed(preset.name) })
          }}
        />
      )}
    </>
  )
}

interface RemoveProps {
  preset: Preset
  onClose: () => void
  onConfirm: (preset: Preset) => Promise<void>
}

function RemoveDialog({ preset, onClose, onConfirm }: RemoveProps) {
  const t = useTexts(texts)
  return (
    <ConfirmDialog
      title={t.removeNamed(preset.name)}
      action={t.remove}
      onClose={onClose}
      onConfirm={() => onConfirm(preset)}
    >
      <p>{t.removeHelp}</p>
    </ConfirmDialog>
  )
}
