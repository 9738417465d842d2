import { ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import {
  Button as AriaButton,
  CheckboxGroup,
  Disclosure,
  DisclosurePanel,
  Heading,
} from 'react-aria-components'
import { Button } from '~/components/button/Button'
import { Checkbox } from '~/components/field/Checkbox'
import { TextField } from '~/components/field/TextField'
import { useWords } from '~/features/filters/describe'
import type { FilterField } from '~/features/filters/fields'
import { useNames } from '~/features/filters/names'
import { texts as filterTexts } from '~/features/filters/texts'
import { useFormat, useTexts } from '~/text/context'
import css from './Facet.module.css'
import type { FacetValue } from './facets'
import { texts } from './texts'

const shown = 8
const mostValues = 100 // maximum number of values returned by the server
const searchedFrom = 12

interface SectionProps {
  title: string
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  /** The number of selected values. */
  chosen?: number
  children: ReactNode
}

/** A collapsible section of the panel. */
export function Section({ title, isOpen, onOpen, chosen = 0, children }: SectionProps) {
  const format = useFormat()
  return (
    <Disclosure className={css.section} isExpanded={isOpen} onExpandedChange={onOpen}>
      <Heading level={2} className={css.heading}>
        <AriaButton slot="trigger" className={css.trigger}>
          <span>{title}</span>
          {chosen > 0 && <span className={css.chosen}>{format.number(chosen)}</span>}
          <ChevronDown size={16} aria-hidden />
        </AriaButton>
      </Heading>
      <DisclosurePanel>{isOpen && <div className={css.panel}>{children}</div>}</DisclosurePanel>
    </Disclosure>
  )
}

interface FacetProps {
  field: FilterField
  title: string
  /** Undefined until they are loaded. */
  values: readonly FacetValue[] | undefined
  picked: readonly unknown[]
  onPick: (values: unknown[]) => void
}

/** The values of a field with their counts, selectable. */
export function Facet({ field, title, values, picked, onPick }: FacetProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const say = useLabel(field, picked)
  const [isLong, setLong] = useState(false)
  const [text, setText] = useState('')
  if (!values) return <p className={css.none}>{t.loading}</p>
  if (values.length === 0 && picked.length === 0) return <p className={css.none}>{t.nothingToCount}</p>

  const gone = picked.filter(p => !values.some(v => String(v.value) === String(p)))
  const all: FacetValue[] = [...gone.map(value => ({ value, count: 0 })), ...values]
  const part = text.trim().toLowerCase()
  const found = part ? all.filter(v => say(v).toLowerCase().includes(part)) : all
  const list = isLong || part ? found : found.slice(0, Math.max(shown, gone.length))
  const rest = found.length - list.length
  const pick = (ids: string[]) => {
    const chosen = ids.map(id => all.find(v => String(v.value) === id)?.value ?? id)
    onPick(field.kind === 'boolean' ? chosen.slice(-1) : chosen)
  }
  const ids = picked.map(String)
  return (
    <>
      {all.length > searchedFrom && (
        <TextField
          label={t.findIn(title)}
          placeholder={t.findIn(title)}
          hideLabel
          value={text}
          onChange={setText}
        />
      )}
      <CheckboxGroup aria-label={title} value={ids} onChange={pick} className={css.values}>
        {list.map(v => (
          <Checkbox key={String(v.value)} value={String(v.value)}>
            <span className={css.label}>{say(v)}</span>
            <span className={css.count}>{format.number(v.count)}</span>
          </Checkbox>
        ))}
      </CheckboxGroup>
      {part && found.length === 0 && <p className={css.none}>{t.noneHere}</p>}
      {part &&
        found.length === 0 &&
        values.length >= mostValues &&
        (field.kind === 'set' || field.kind === 'text') && (
          <Button look="quiet" onPress={() => pick([...ids, text.trim()])}>
            {t.use(text.trim())}
          </Button>
        )}
      {(rest > 0 || (isLong && !part && found.length > shown)) && (
        <Button look="quiet" className={css.more} onPress={() => setLong(!isLong)}>
          {isLong ? t.fewer : t.more(format.number(rest))}
        </Button>
      )}
    </>
  )
}

/** The display name of a field's value. */
function useLabel(field: FilterField, picked: readonly unknown[]) {
  const t = useTexts(texts)
  const f = useTexts(filterTexts)
  const word = useWords()
  const named = useNames(field, picked)
  return (v: FacetValue): string => {
    if (v.label) return v.label
    if (field.name === 'asset.rating') return t.stars(Number(v.value))
    if (typeof v.value === 'boolean') return v.value ? f.yes : f.no
    return field.kind === 'enum' ? word(String(v.value)) : named(v.value)
  }
}
