import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { CopyField } from '~/components/copy/CopyField'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Select } from '~/components/field/Select'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { manifestURL, pictureURL, usePresets } from './presets'
import { texts } from './texts'

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;')

/** A public link to a picture of an asset, and HTML that displays it. */
export function LinkDialog({
  gaid,
  title,
  hasManifest,
  onClose,
}: {
  gaid: string
  title: string
  hasManifest: boolean
  onClose: () => void
}) {
  const t = useTexts(texts)
  const presets = usePresets()
  const [chosen, setChosen] = useState<string | null>(null)
  const preset = chosen ?? presets.data?.find(p => p.name === 'web')?.name ?? presets.data?.[0]?.name ?? null
  const url = useQuery({
    queryKey: ['image-url', gaid, preset],
    queryFn: () => pictureURL(gaid, preset ?? ''),
    enabled: preset !== null,
    gcTime: 0, // another file has another link
  })
  const manifest = useMutation({ mutationFn: () => manifestURL(gaid) })
  const error = presets.error ?? url.error ?? manifest.error
  return (
    <Dialog title={t.publicLinkTitle} isOpen onClose={onClose}>
      <p>{t.publicLinkHelp}</p>
      {error && <Notice kind="danger">{error.message}</Notice>}
      {presets.data?.length === 0 && <Notice kind="warning">{t.noPresets}</Notice>}
      {presets.data && (
        <Select
          label={t.size}
          choices={presets.data.map(p => ({ id: p.name, text: p.name }))}
          value={preset}
          onChange={setChosen}
        />
      )}
      {url.isFetching && <Busy label={t.making} />}
      {url.data && (
        <>
          <CopyField label={t.link} value={url.data} />
          <CopyField label={t.html} value={`<img src="${escaped(url.data)}" alt="${escaped(title)}">`} />
        </>
      )}
      {manifest.data && (
        <>
          <p>{t.manifestHelp}</p>
          <CopyField label={t.manifest} value={manifest.data} />
        </>
      )}
      <DialogButtons>
        {hasManifest && !manifest.data && (
          <Button onPress={() => manifest.mutate()} isDisabled={manifest.isPending}>
            {t.makeManifest}
          </Button>
        )}
        <Button onPress={onClose}>{t.close}</Button>
      </DialogButtons>
    </Dialog>
  )
}
