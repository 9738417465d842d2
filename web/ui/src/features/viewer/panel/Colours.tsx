import { Link } from 'react-router'
import type { ReadAsset } from '~/features/assets/asset'
import { queryText } from '~/features/assets/query'
import { useFormat, useTexts } from '~/text/context'
import css from './Panel.module.css'
import { Part } from './Row'
import { texts } from './texts'

/** The dominant colours; clicking one searches for pictures with it. */
export function Colours({ colors }: { colors: ReadAsset['colors'] }) {
  const t = useTexts(texts)
  const format = useFormat()
  if (colors.length === 0) return null
  return (
    <Part title={t.colours}>
      <ul className={css.colours}>
        {colors.map(c => (
          <li key={c.hex}>
            <Link
              to={{ pathname: '/', search: queryText({ filters: nearColour(c.hex), sort_by: 'relevance' }) }}
              className={css.colour}
              style={{ background: c.hex }}
              aria-label={t.searchColour(c.hex, format.number(Math.round(c.share * 100)))}
              title={c.hex}
            />
          </li>
        ))}
      </ul>
    </Part>
  )
}

function nearColour(hex: string) {
  return JSON.stringify({ type: 'filter', field: 'asset.colors', operator: 'color_near', value: hex })
}
