import { Archive, AudioLines, Clapperboard, Download, File, FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { ButtonLink } from '~/components/button/Button'
import { local } from '~/features/assets/Thumbnail'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import type { Shown } from './shown'
import { technicalOf } from './technical'
import { texts } from './texts'
import css from './Unseen.module.css'

const icons = { Image: File, Video: Clapperboard, Audio: AudioLines, Document: FileText }

/** A card for files that cannot be displayed: their type, the reason, and a link to the file. */
export function Unseen({ asset, children }: { asset: Shown; children?: ReactNode }) {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const { archive, file } = technicalOf(asset)
  const Icon = archive ? Archive : icons[asset.file_category]
  return (
    <div className={css.card}>
      {asset.urls.preview ? <img src={local(asset.urls.preview)} alt="" /> : <Icon aria-hidden />}
      <h2>{asset.title}</h2>
      <p className={css.kind}>
        {asset.extension.toUpperCase()} · {format.size(asset.file_size)}
      </p>
      {children ?? <Why reason={asset.processing_status === 'processing' ? undefined : file?.no_preview} />}
      {can('assets:download') && (
        <ButtonLink href={local(asset.urls.original)} download look="primary">
          <Download /> {t.downloadOriginal}
        </ButtonLink>
      )}
    </div>
  )
}

/** Explains why there is no preview, in the server's words. */
function Why({ reason }: { reason: string | undefined }) {
  const t = useTexts(texts)
  if (!reason) return <p>{t.cannotShow}</p>
  return (
    <p>
      {t.noPreview} <span lang="en">{reason}</span>.
    </p>
  )
}
