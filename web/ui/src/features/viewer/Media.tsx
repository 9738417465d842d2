import { AudioLines, Clapperboard, Download, File, FileText } from 'lucide-react'
import { useState } from 'react'
import { ButtonLink } from '~/components/button/Button'
import { local } from '~/features/assets/Thumbnail'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import css from './Stage.module.css'
import type { Shown } from './shown'
import { texts } from './texts'

const icons = { Image: File, Video: Clapperboard, Audio: AudioLines, Document: FileText }

/** A video or a sound that the browser plays, or a card for what it cannot show. */
export function Media({ asset, isCurrent }: { asset: Shown; isCurrent: boolean }) {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const [failed, setFailed] = useState(false)
  const Icon = icons[asset.file_category]
  const source = local(asset.urls.original)
  if (isCurrent && !failed && asset.file_category === 'Video') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: the library knows no captions
      <video
        className={css.media}
        src={source}
        poster={asset.urls.preview ? local(asset.urls.preview) : undefined}
        aria-label={asset.title}
        controls
        playsInline
        preload="metadata"
        onError={() => setFailed(true)}
      />
    )
  }
  const plays = isCurrent && !failed && asset.file_category === 'Audio'
  return (
    <div className={css.card}>
      <Icon aria-hidden />
      <h2>{asset.title}</h2>
      <p className={css.kind}>
        {asset.extension.toUpperCase()} · {format.size(asset.file_size)}
      </p>
      {plays ? (
        // biome-ignore lint/a11y/useMediaCaption: the library knows no captions
        <audio
          src={source}
          aria-label={asset.title}
          controls
          preload="metadata"
          onError={() => setFailed(true)}
        />
      ) : (
        <>
          <p>{failed ? t.cannotPlay : t.cannotShow}</p>
          {can('assets:download') && (
            <ButtonLink href={source} download look="primary">
              <Download /> {t.downloadOriginal}
            </ButtonLink>
          )}
        </>
      )}
    </div>
  )
}
