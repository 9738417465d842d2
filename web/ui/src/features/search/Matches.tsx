import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { Button } from '~/components/button/Button'
import { type AssetSource, assetPage } from '~/features/assets/query'
import { useFormat, useTexts } from '~/text/context'
import css from './Matches.module.css'
import { texts } from './texts'

/**
 * The number of assets that match the words and of those that match only semantically, with a button that excludes
 * the latter.
 */
export function Matches({ source }: { source: AssetSource }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [params, setParams] = useSearchParams()
  const { data } = useQuery({ ...assetPage(source, 0), enabled: false })
  const matches = data?.meta.matches
  const without = source.query.meaning !== undefined
  if (!matches || !(without || matches.meaning > 0)) return null
  const words = format.number(matches.words)
  const toggle = () => {
    if (without) params.delete('meaning')
    else params.set('meaning', 'false')
    setParams(params)
  }
  return (
    <div className={css.matches}>
      <span role="status">
        {without ? t.byWords(words) : t.byBoth(words, format.number(matches.meaning))}
      </span>
      <Button look="quiet" onPress={toggle}>
        {without ? t.alsoMeaning : t.onlyWords}
      </Button>
    </div>
  )
}
