import { Folder, Sparkles } from 'lucide-react'
import { Link } from 'react-router'
import { useFormat, useTexts } from '~/text/context'
import css from './Cards.module.css'
import { type Collection, coverURL } from './collections'
import { texts } from './texts'

/** Collections by their covers. */
export function Cards({ collections }: { collections: Collection[] }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <ul className={css.cards}>
      {collections.map(c => (
        <li key={c.id}>
          <Link to={`/collections/${c.id}`} className={css.card}>
            <span className={css.cover}>
              {c.cover_gaid ? <img src={coverURL(c.cover_gaid)} alt="" loading="lazy" /> : <Folder />}
            </span>
            <span className={css.name}>{c.name}</span>
            <span className={css.count}>
              {format.plural(c.assets_count, t.one, t.other)}
              {c.rules && <Sparkles aria-label={t.self} />}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
