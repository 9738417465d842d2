import { Folder, Sparkles } from 'lucide-react'
import { Link } from 'react-router'
import { useFormat, useTexts } from '~/text/context'
import css from './Cards.module.css'
import { type Collection, coverURL, useCover } from './collections'
import { texts } from './texts'

interface CardsProps {
  collections: Collection[]
  label?: string
  /** In a single compact row. */
  compact?: boolean
}

/** Collections with their covers. */
export function Cards({ collections, label, compact = false }: CardsProps) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <ul className={compact ? css.row : css.cards} aria-label={label}>
      {collections.map(c => (
        <li key={c.id}>
          <Link to={`/collections/${c.id}`} className={css.card}>
            <span className={css.cover}>
              <Cover of={c} />
            </span>
            <span className={css.words}>
              <span className={css.name}>{c.name}</span>
              <span className={css.count}>
                {format.plural(c.assets_count, t.one, t.other)}
                {c.children_count > 0 && ` · ${format.plural(c.children_count, t.oneInside, t.manyInside)}`}
                {c.rules && <Sparkles role="img" aria-label={t.self} />}
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

function Cover({ of }: { of: Collection }) {
  const gaid = useCover(of)
  return gaid ? <img src={coverURL(gaid)} alt="" loading="lazy" /> : <Folder />
}
