import { Check } from 'lucide-react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import { ColourField, partsOf, usualDistance } from '~/components/field/ColourField'
import { useTexts } from '~/text/context'
import css from './ColourFilter.module.css'
import { useDraft } from './draft'
import { texts } from './texts'

interface ColourFilterProps {
  /** "#rrggbb" or {color, distance}; undefined for any colour. */
  value: unknown
  onChange: (value: unknown) => void
}

/** A colour of pictures, from a palette or free, and the allowed distance. */
export function ColourFilter({ value, onChange }: ColourFilterProps) {
  const t = useTexts(texts)
  const { color, distance } = partsOf(value)
  const [draft, setDraft] = useDraft(value, onChange, v => /^#[0-9a-f]{6}$/i.test(partsOf(v).color))
  const pick = (hex: string | undefined) => {
    if (!hex) return onChange(undefined)
    onChange(distance === usualDistance ? hex : { color: hex, distance })
  }
  return (
    <div className={css.colour}>
      <ToggleButtonGroup
        aria-label={t.colour}
        className={css.palette}
        selectionMode="single"
        selectedKeys={color ? [color] : []}
        onSelectionChange={keys => pick([...keys].map(String)[0])}
      >
        {Object.entries(t.colours).map(([hex, name]) => (
          <ToggleButton
            key={hex}
            id={hex}
            aria-label={name}
            className={css.swatch}
            style={{ background: hex }}
          >
            {color === hex && <Check aria-hidden />}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <span className={css.label} aria-hidden>
        {t.otherColour}
      </span>
      <ColourField
        label={t.otherColour}
        value={draft ?? ''}
        hasDistance={Boolean(color)}
        onChange={setDraft}
      />
    </div>
  )
}
