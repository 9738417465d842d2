import { useState } from 'react'
import {
  FieldError,
  Input,
  Label,
  Slider,
  SliderThumb,
  SliderTrack,
  Text,
  TextField,
} from 'react-aria-components'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import css from './ColourField.module.css'
import field from './Field.module.css'

const texts = catalogue(
  { pick: 'Pick a colour', code: 'Colour as #rrggbb', distance: 'Tolerance', near: 'Exact', far: 'Similar' },
  {
    de: {
      pick: 'Farbe wählen',
      code: 'Farbe als #rrggbb',
      distance: 'Toleranz',
      near: 'Genau',
      far: 'Ähnlich',
    },
  },
)

export const usualDistance = 20 // in ΔE2000; the server's default
const furthest = 50

interface ColourFieldProps {
  label: string
  /** "#rrggbb", or {color, distance}. */
  value: unknown
  onChange: (value: unknown) => void
  /** The distance to similar colours can be set. */
  hasDistance: boolean
  errors?: string[]
}

/** A colour, chosen visually or by its code, and the distance to similar colours. */
export function ColourField({ label, value, onChange, hasDistance, errors = [] }: ColourFieldProps) {
  const t = useTexts(texts)
  const { color, distance } = partsOf(value)
  const [text, setText] = useState(color)
  const code = isHex(text) && text !== color ? color : text
  const change = (hex: string, far: number) =>
    onChange(hasDistance && far !== usualDistance ? { color: hex, distance: far } : hex)
  const wrong = errors.length > 0
  return (
    <div className={css.field}>
      <div className={css.row}>
        <input
          type="color"
          aria-label={t.pick}
          className={css.well}
          value={isHex(color) ? color : '#000000'}
          onChange={e => {
            setText(e.currentTarget.value)
            change(e.currentTarget.value, distance)
          }}
        />
        <TextField
          className={`${field.field} ${css.code}`}
          isInvalid={wrong}
          value={code}
          onChange={v => {
            setText(v)
            change(v.toLowerCase(), distance)
          }}
        >
          <Label className="visually-hidden">{`${label}: ${t.code}`}</Label>
          <Input className={field.input} spellCheck={false} maxLength={7} placeholder="#rrggbb" />
          <FieldError className={field.error}>{wrong ? errors.join(' ') : undefined}</FieldError>
        </TextField>
      </div>
      {hasDistance && (
        <Slider
          className={css.slider}
          minValue={0}
          maxValue={furthest}
          value={Math.min(furthest, distance)}
          onChange={v => change(color, v)}
        >
          <Label className={css.name}>{t.distance}</Label>
          <SliderTrack className={css.track}>
            <SliderThumb className={css.thumb} />
          </SliderTrack>
          <Text slot="description" className={css.ends} aria-hidden>
            <span>{t.near}</span>
            <span>{t.far}</span>
          </Text>
        </Slider>
      )}
    </div>
  )
}

function isHex(text: string) {
  return /^#[0-9a-f]{6}$/i.test(text)
}

/** The colour and the distance in a rule's value. */
export function partsOf(value: unknown): { color: string; distance: number } {
  if (typeof value === 'string') return { color: value, distance: usualDistance }
  const v = (value ?? {}) as { color?: unknown; distance?: unknown }
  return { color: String(v.color ?? ''), distance: Number(v.distance ?? usualDistance) }
}
