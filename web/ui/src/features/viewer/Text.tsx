import { useImperativeHandle, useRef, useState } from 'react'
import { Segments } from '~/components/button/Segments'
import { useTexts } from '~/text/context'
import type { ShowsProps, ViewControls } from './controls'
import { Picture } from './Picture'
import css from './Text.module.css'
import { texts } from './texts'
import { useFocusAtFirst } from './useFocusAtFirst'

const tables = ['text/csv', 'text/tab-separated-values']

/** The text of a document to read and select, or the document's picture. */
export default function Text({ controls, ...props }: ShowsProps) {
  const t = useTexts(texts)
  const { asset } = props
  const picture = useRef<ViewControls>(null)
  const [view, setView] = useState<'text' | 'picture'>('text')
  const isText = view === 'text' || !asset.urls.preview
  useImperativeHandle(controls, () => (isText ? {} : { ...picture.current }))
  return (
    <div className={css.document}>
      {asset.urls.preview && (
        <div className={css.views}>
          <Segments
            label={t.showAs}
            choices={{ text: t.asText, picture: t.asPicture }}
            value={view}
            onChange={setView}
          />
        </div>
      )}
      <div className={css.shown}>
        {isText ? <Reading asset={asset} /> : <Picture {...props} controls={picture} />}
      </div>
    </div>
  )
}

function Reading({ asset }: Pick<ShowsProps, 'asset'>) {
  const t = useTexts(texts)
  const box = useFocusAtFirst<HTMLElement>()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys
    <section ref={box} className={css.scroll} tabIndex={0} aria-label={t.textOf(asset.title)}>
      <div className={tables.includes(asset.mime_type) ? `${css.text} ${css.table}` : css.text}>
        {asset.ocr_text}
      </div>
    </section>
  )
}
