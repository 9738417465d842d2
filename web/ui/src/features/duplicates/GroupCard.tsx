import { Check, Columns2, Merge } from 'lucide-react'
import { useId } from 'react'
import { Checkbox, Radio, RadioGroup } from 'react-aria-components'
import { Link } from 'react-router'
import { Button } from '~/components/button/Button'
import { altText } from '~/features/assets/alt'
import { local } from '~/features/assets/Thumbnail'
import { useCan } from '~/features/session/rights'
import { useFormat, useLanguage, useTexts } from '~/text/context'
import { type AssetItem, best, type Group } from './best'
import { useRows } from './facts'
import css from './GroupCard.module.css'
import { texts } from './texts'

/** The choice for a group: the asset to keep, and the ones to leave alone. */
export interface Choice {
  kept: string
  spared: ReadonlySet<string>
}

interface GroupCardProps {
  group: Group
  number: number
  isCurrent: boolean
  choice: Choice
  isPending: boolean
  onChoose: (c: Choice) => void
  onCompare: () => void
  onMerge: () => void
  onFocus: () => void
}

/** A group of near duplicates side by side, with differences marked. */
export function GroupCard(props: GroupCardProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const can = useCan()
  const heading = useId()
  const { group, choice, onChoose } = props
  const suggested = best(group.assets)
  const rows = useRows(group.assets)
  const merges = can('assets:delete') && can('assets:write') && can('collections:write')
  const gone = group.assets.filter(a => a.gaid !== choice.kept && !choice.spared.has(a.gaid)).length
  return (
    <section
      className={css.group}
      aria-labelledby={heading}
      data-group={props.number}
      data-current={props.isCurrent || undefined}
      tabIndex={-1}
      onFocus={props.onFocus}
    >
      <div className={css.head}>
        <h2 id={heading}>{t.group(format.number(props.number), format.number(group.assets.length))}</h2>
        <span className={css.distance}>{group.distance === 0 ? t.same : t.near}</span>
        <Button onPress={props.onCompare}>
          <Columns2 /> {t.compare}
        </Button>
        {merges && (
          <Button look="primary" isPending={props.isPending} isDisabled={gone === 0} onPress={props.onMerge}>
            <Merge /> {t.merge(format.number(gone))}
          </Button>
        )}
      </div>
      <RadioGroup
        className={css.assets}
        aria-label={t.keepWhich}
        value={choice.kept}
        isReadOnly={!merges}
        onChange={kept => onChoose({ ...choice, kept })}
      >
        {group.assets.map((a, i) => (
          <article key={a.gaid} className={css.asset} data-kept={choice.kept === a.gaid || undefined}>
            <Picture asset={a} />
            <div className={css.choice}>
              <Radio value={a.gaid} className={css.radio} isDisabled={!merges}>
                <span className={css.dot} aria-hidden>
                  <Check size={14} />
                </span>
                {t.keep}
                {a.gaid === suggested && <span className={css.suggested}>{t.suggested}</span>}
              </Radio>
              {merges && choice.kept !== a.gaid && group.assets.length > 2 && (
                <Checkbox
                  className={css.spare}
                  isSelected={choice.spared.has(a.gaid)}
                  onChange={on => onChoose({ ...choice, spared: toggled(choice.spared, a.gaid, on) })}
                >
                  <span className={css.box} aria-hidden>
                    <Check size={12} />
                  </span>
                  {t.spare}
                </Checkbox>
              )}
            </div>
            <Link to={`/assets/${a.gaid}`} className={css.title}>
              {a.title}
            </Link>
            <dl className={css.facts}>
              {rows.map(row => (
                <div key={row.name} data-differs={row.differs || undefined}>
                  <dt>{row.name}</dt>
                  <dd>
                    {row.differs ? <mark>{row.values[i]}</mark> : row.values[i]}
                    {row.best === i && <span className={css.best}>{t.bestValue}</span>}
                  </dd>
                </div>
              ))}
            </dl>
          </article>
        ))}
      </RadioGroup>
    </section>
  )
}

function Picture({ asset }: { asset: AssetItem }) {
  const format = useFormat()
  const { language } = useLanguage()
  const { preview } = asset.urls
  return (
    <div className={css.picture}>
      {preview ? <img src={local(preview)} alt={altText(asset, format, language)} loading="lazy" /> : null}
    </div>
  )
}

function toggled(set: ReadonlySet<string>, item: string, on: boolean): Set<string> {
  const next = new Set(set)
  if (on) next.add(item)
  else next.delete(item)
  return next
}
