import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api, data } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Thumbnail } from '~/features/assets/Thumbnail'
import { useTexts } from '~/text/context'
import css from './Panel.module.css'
import { Part } from './Row'
import { texts } from './texts'

const shown = 8

/** A few visually or semantically similar assets. */
export function SimilarStrip({ gaid, onAll }: { gaid: string; onAll: () => void }) {
  const t = useTexts(texts)
  const similar = useQuery({
    queryKey: ['similar', gaid, shown],
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/assets/{gaid}/similar', {
          params: { path: { gaid }, query: { per_page: shown } },
          signal,
        }),
      ),
  })
  if (!similar.data || similar.data.data.length === 0) return null
  return (
    <Part title={t.similarTitle}>
      <ul className={css.similar}>
        {similar.data.data.map(a => (
          <li key={a.gaid}>
            <Link to={`/assets/${a.gaid}`} className={css.similarItem} title={a.title}>
              <Thumbnail asset={a} small />
            </Link>
          </li>
        ))}
      </ul>
      <Button look="quiet" className={css.add} onPress={onAll}>
        {t.allSimilar}
      </Button>
    </Part>
  )
}
