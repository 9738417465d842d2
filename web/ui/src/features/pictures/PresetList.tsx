import { MoreVertical, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '~/components/button/Button'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import css from '~/features/definitions/Definitions.module.css'
import { useTexts } from '~/text/context'
import { PresetDialog } from './PresetDialog'
import { type Preset, useChangePresets, usePresets } from './presets'
import { texts } from './texts'

type Doing = { what: 'put' | 'remove'; preset: Preset | null }

/** The presets: made, changed and deleted. */
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
      {presets.data?.length === 0 && <p className={css.help}>{t.noPresets}</p>}
      <ul className={css.list}>
        {presets.data?.map(preset => (
          <li key={preset.id} className={css.item}>
            <span className={css.words}>
              <span className={css.name}>{preset.name}</span>
              <span className={css.about}>
                {t.about(
                  `${preset.width ?? '…'} × ${preset.height ?? '…'}`,
                  t.fits[preset.fit],
                  preset.format.toUpperCase(),
                )}
              </span>
            </span>
            <Menu
              label={t.actionsOf(preset.name)}
              button={
                <IconButton label={t.actionsOf(preset.name)}>
                  <MoreVertical />
                </IconButton>
              }
            >
              <MenuItem onAction={() => setDoing({ what: 'put', preset })}>{t.edit}</MenuItem>
              <MenuItem danger onAction={() => setDoing({ what: 'remove', preset })}>
                {t.removeQuestion}
              </MenuItem>
            </Menu>
          </li>
        ))}
      </ul>
      <div>
        <Button onPress={() => setDoing({ what: 'put', preset: null })}>
          <Plus /> {t.newPreset}
        </Button>
      </div>
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
