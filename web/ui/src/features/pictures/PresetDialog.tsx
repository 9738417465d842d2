import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import { type Preset, useChangePresets } from './presets'
import { texts } from './texts'

const formats = [
  { id: 'jpeg', text: 'JPEG' },
  { id: 'png', text: 'PNG' },
  { id: 'webp', text: 'WebP' },
  { id: 'avif', text: 'AVIF' },
] as const

const choices = <K extends string>(names: Record<K, string>) =>
  (Object.entries(names) as [K, string][]).map(([id, text]) => ({ id, text }))

/** A typed number; the server refuses invalid ones. */
const number = (text: string) => (text.trim() === '' ? null : Number(text))

/** Creates a preset, or changes one. */
export function PresetDialog({ preset, onClose }: { preset: Preset | null; onClose: () => void }) {
  const t = useTexts(texts)
  const { put } = useChangePresets()
  const [name, setName] = useState(preset?.name ?? '')
  const [width, setWidth] = useState(preset ? String(preset.width ?? '') : '1920')
  const [height, setHeight] = useState(String(preset?.height ?? ''))
  const [fit, setFit] = useState<Preset['fit']>(preset?.fit ?? 'contain')
  const [gravity, setGravity] = useState<Preset['gravity']>(preset?.gravity ?? 'focal')
  const [format, setFormat] = useState<Preset['format']>(preset?.format ?? 'jpeg')
  const [quality, setQuality] = useState(String(preset?.quality ?? 82))
  const submit = async () => {
    const body = {
      name,
      width: number(width),
      height: number(height),
      fit,
      gravity: fit === 'cover' ? gravity : ('focal' as const),
      format,
      quality: number(quality),
    }
    await put.mutateAsync({ id: preset?.id ?? null, body })
    onClose()
  }
  return (
    <Dialog title={preset ? t.editPreset(preset.name) : t.newPreset} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.name}
              help={t.nameHelp}
              value={name}
              onChange={setName}
              isRequired
              autoFocus
              errors={errors.name ?? []}
            />
            <TextField label={t.width} value={width} onChange={setWidth} errors={errors.width ?? []} />
            <TextField
              label={t.height}
              help={t.sideHelp}
              value={height}
              onChange={setHeight}
              errors={errors.height ?? []}
            />
            <Select
              label={t.fit}
              choices={choices(t.fits)}
              value={fit}
              onChange={setFit}
              errors={errors.fit ?? []}
            />
            {fit === 'cover' && (
              <Select
                label={t.gravity}
                choices={choices(t.gravities)}
                value={gravity}
                onChange={setGravity}
                errors={errors.gravity ?? []}
              />
            )}
            <Select
              label={t.format}
              choices={formats}
              value={format}
              onChange={setFormat}
              errors={errors.format ?? []}
            />
            {format !== 'png' && (
              <TextField
                label={t.quality}
                value={quality}
                onChange={setQuality}
                errors={errors.quality ?? []}
              />
            )}
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {preset ? t.save : t.create}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
