import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Notice } from '~/components/state/Notice'
import type { AssetQuery } from '~/features/assets/query'
import type { FilterField } from '~/features/filters/fields'
import { picked, ruleAbout, withPicked, withRule } from '~/features/filters/narrow'
import { type Group, readFilter, writeFilter } from '~/features/filters/tree'
import { useFields } from '~/features/filters/useFields'
import { useTexts } from '~/text/context'
import { ColourFilter } from './ColourFilter'
import { DateFilter } from './DateFilter'
import { Facet, Section } from './Facet'
import { openAtFirst, useFacetFields, useFacets } from './facets'
import css from './Panel.module.css'
import { texts } from './texts'
import { asksUsage, UsageFilter } from './UsageFilter'
import { useNarrow } from './useNarrow'

interface PanelProps {
  query: AssetQuery
  onChange: (changes: Partial<AssetQuery>) => void
  onClose: () => void
}

/** The filter panel, beside a result or, on a phone, above it. */
export default function Panel({ query, onChange, onClose }: PanelProps) {
  const t = useTexts(texts)
  if (!useNarrow()) {
    return (
      <aside className={css.side} aria-label={t.filters}>
        <Parts query={query} onChange={onChange} />
      </aside>
    )
  }
  return (
    <Dialog title={t.filters} isOpen onClose={onClose}>
      <Parts query={query} onChange={onChange} />
      <div className={css.foot}>
        <DialogButtons>
          {query.filters && <Button onPress={() => onChange({ filters: '' })}>{t.clearFilters}</Button>}
          <Button look="primary" onPress={onClose}>
            {t.apply}
          </Button>
        </DialogButtons>
      </div>
    </Dialog>
  )
}

function Parts({ query, onChange }: Pick<PanelProps, 'query' | 'onChange'>) {
  const t = useTexts(texts)
  const { name } = useFields()
  const all = useFacetFields()
  const group = readFilter(query.filters)
  const [folded, setFolded] = useState<Record<string, boolean>>({})
  const isOpen = (id: string, usually: boolean) => folded[id] ?? usually
  const fold = (id: string) => (open: boolean) => setFolded(old => ({ ...old, [id]: open }))
  const isAsked = (f: FilterField) => picked(group, f.name).length > 0
  const open = all.filter((f, i) => isOpen(f.name, i < openAtFirst || isAsked(f)))
  const facets = useFacets(query, open)
  const narrow = (to: Group) => onChange({ filters: writeFilter(to) })
  const colour = ruleAbout(group, 'asset.colors', ['color_near'])?.value
  const dated = Boolean(
    ruleAbout(group, 'asset.capture_date', ['between']) ?? ruleAbout(group, 'asset.created_at', ['between']),
  )
  if (query.filters && !group) return <Notice kind="info">{t.unknownFilter}</Notice>
  return (
    <div className={css.parts}>
      {facets.error && <Notice kind="danger">{t.failed}</Notice>}
      <Section title={t.date} isOpen={isOpen('date', dated)} onOpen={fold('date')} chosen={dated ? 1 : 0}>
        <DateFilter group={group} onChange={narrow} />
      </Section>
      <Section
        title={t.colour}
        isOpen={isOpen('colour', colour !== undefined)}
        onOpen={fold('colour')}
        chosen={colour === undefined ? 0 : 1}
      >
        <ColourFilter
          value={colour}
          onChange={value =>
            narrow(
              withRule(
                group,
                'asset.colors',
                ['color_near'],
                value === undefined ? null : { operator: 'color_near', value },
              ),
            )
          }
        />
      </Section>
      <Section
        title={t.usage}
        isOpen={isOpen('usage', asksUsage(group))}
        onOpen={fold('usage')}
        chosen={asksUsage(group) ? 1 : 0}
      >
        <UsageFilter group={group} onChange={narrow} />
      </Section>
      {all.map(f => {
        const values = facets.values(f)
        const chosen = picked(group, f.name)
        if (open.includes(f) && values?.length === 0 && chosen.length === 0 && folded[f.name] === undefined) {
          return null
        }
        const operator = f.kind === 'boolean' ? 'equals' : 'in'
        return (
          <Section
            key={f.name}
            title={name(f)}
            isOpen={open.includes(f)}
            onOpen={fold(f.name)}
            chosen={chosen.length}
          >
            <Facet
              field={f}
              title={name(f)}
              values={facets.error ? (values ?? []) : values}
              picked={chosen}
              onPick={picks => narrow(withPicked(group, f.name, picks, operator))}
            />
          </Section>
        )
      })}
    </div>
  )
}
