import { Download } from 'lucide-react'
import { useState } from 'react'
import { mounted } from '~/api/mount'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem, MenuLine } from '~/components/menu/Menu'
import { local, localWith } from '~/features/assets/Thumbnail'
import { LinkDialog } from '~/features/pictures/LinkDialog'
import { usePresets } from '~/features/pictures/presets'
import { texts as pictureTexts } from '~/features/pictures/texts'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import { largeSize, previewSize, type Shown, scaleOf } from './shown'
import { technicalOf } from './technical'
import { texts } from './texts'

/** Formats into which metadata can be embedded. */
const embeds = ['application/pdf', 'image/jpeg', 'image/png', 'image/tiff', 'image/webp']

/** The download menu: the original, its renditions, and its metadata. */
export function DownloadMenu({ asset }: { asset: Shown }) {
  const t = useTexts(texts)
  const pictures = useTexts(pictureTexts)
  const format = useFormat()
  const can = useCan()
  const presets = usePresets()
  const [linking, setLinking] = useState(false)
  const size = (longest: number) => {
    if (!asset.width || !asset.height) return ''
    const by = scaleOf(asset, longest)
    return ` (${Math.round(asset.width * by)} × ${Math.round(asset.height * by)})`
  }
  const { thumbnail, preview, large, original } = asset.urls
  return (
    <>
      <Menu
        label={t.download}
        button={
          <IconButton label={t.download}>
            <Download />
          </IconButton>
        }
      >
        <MenuItem href={local(original)} download>
          {`${t.original} (${asset.extension.toUpperCase()}, ${format.size(asset.file_size)})`}
        </MenuItem>
        {embeds.includes(asset.mime_type) && (
          <MenuItem href={localWith(original, { embed_metadata: 1 })} download>
            {technicalOf(asset).content_credentials ? t.originalWithMetadataEnds : t.originalWithMetadata}
          </MenuItem>
        )}
        {large && <MenuItem href={local(large)} download>{`${t.large}${size(largeSize)}`}</MenuItem>}
        {preview && <MenuItem href={local(preview)} download>{`${t.preview}${size(previewSize)}`}</MenuItem>}
        {thumbnail && <MenuItem href={local(thumbnail)} download>{`${t.thumbnail}${size(320)}`}</MenuItem>}
        {preview && presets.data && presets.data.length > 0 && (
          <>
            <MenuLine />
            {presets.data.map(p => (
              <MenuItem key={p.id} href={localWith(original, { preset: p.name })} download>
                {p.name}
              </MenuItem>
            ))}
          </>
        )}
        {preview && can('shares:manage') && !asset.deleted_at && (
          <MenuItem onAction={() => setLinking(true)}>{pictures.publicLink}</MenuItem>
        )}
        <MenuLine />
        <MenuItem
          href={mounted(`/api/v1/assets/${asset.gaid}${asset.deleted_at ? '?trashed=with' : ''}`)}
          download={`${asset.gaid}.json`}
        >
          {t.json}
        </MenuItem>
      </Menu>
      {linking && (
        <LinkDialog
          gaid={asset.gaid}
          title={asset.title}
          hasManifest={asset.file_category === 'Image' || asset.file_category === 'Document'}
          onClose={() => setLinking(false)}
        />
      )}
    </>
  )
}
