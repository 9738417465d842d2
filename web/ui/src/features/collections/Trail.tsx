import { ChevronRight } from 'lucide-react'
import { Fragment } from 'react'
import { Link } from 'react-router'
import css from '~/components/page.module.css'
import { useTexts } from '~/text/context'
import { useTrail } from './collections'
import { texts } from './texts'

/** The ancestors of a collection, as links. */
export function Trail({ id }: { id: number }) {
  const t = useTexts(texts)
  const { data } = useTrail(id)
  return (
    <nav className={css.trail} aria-label={t.trail}>
      <Link to="/collections">{t.collections}</Link>
      {data?.slice(0, -1).map(c => (
        <Fragment key={c.id}>
          <ChevronRight size={14} aria-hidden />
          <Link to={`/collections/${c.id}`}>{c.name}</Link>
        </Fragment>
      ))}
    </nav>
  )
}
