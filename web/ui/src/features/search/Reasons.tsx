import type { AssetItem } from '~/features/assets/query'
import { useFields } from '~/features/filters/useFields'
import { textFor } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { piecesOf } from './fragments'
import css from './Reasons.module.css'
import { texts } from './texts'

type Found = Pick<AssetItem, 'matched_on' | 'highlights'>

/** Why an asset matches: chips and, above a picture, the matching passage. Nothing without a search. */
export function Reasons({ asset, look = 'over' }: { asset: Found; look?: 'over' | 'inline' }) {
  const t = useTexts(texts)
  const reasons = asset.matched_on ?? []
  if (reasons.length === 0) return null
  const first = asset.highlights?.[0]
  return (
    <span className={look === 'over' ? css.over : css.inline} data-reasons>
      {first && <Fragment html={first.html} />}
      <span className={css.chips}>
        <span className="visually-hidden">{t.found} </span>
        {reasons.map(on => (
          <span key={on} className={on === 'meaning' ? `${css.chip} ${css.meaning}` : css.chip}>
            <ReasonName on={on} />
          </span>
        ))}
      </span>
    </span>
  )
}

function ReasonName({ on }: { on: string }) {
  const t = useTexts(texts)
  const { field, name } = useFields()
  return on.startsWith('metadata.') ? name(field(on)) : textFor(t.reasons, on, on.replaceAll('_', ' '))
}

/** A passage of text with its matches marked. */
function Fragment({ html }: { html: string }) {
  return (
    <span className={css.fragment}>
      {piecesOf(html).map((p, i) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, which never move
        p.isMatch ? <mark key={i}>{p.text}</mark> : p.text,
      )}
    </span>
  )
}
