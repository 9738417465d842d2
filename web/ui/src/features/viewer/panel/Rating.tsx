import { Star, X } from 'lucide-react'
import { Label, Radio, RadioGroup } from 'react-aria-components'
import { useTexts } from '~/text/context'
import css from './Panel.module.css'
import { texts } from './texts'

const stars = [1, 2, 3, 4, 5]

interface RatingProps {
  value: number | null
  /** Saves the rating; undefined if read-only. */
  onSave: ((rating: number | null) => void) | undefined
}

/** A rating in stars, with a button that clears it. */
export function Rating({ value, onSave }: RatingProps) {
  const t = useTexts(texts)
  return (
    <RadioGroup
      className={css.rating}
      orientation="horizontal"
      value={value ? String(value) : '0'}
      isReadOnly={!onSave}
      onChange={v => onSave?.(Number(v) || null)}
    >
      <Label className="visually-hidden">{t.rating}</Label>
      {stars.map(n => (
        <Radio key={n} value={String(n)} className={css.star} aria-label={t.stars(n)}>
          <Star aria-hidden fill={n <= (value ?? 0) ? 'currentColor' : 'none'} />
        </Radio>
      ))}
      <Radio value="0" className={css.noStars} aria-label={t.noRating}>
        <X aria-hidden />
      </Radio>
    </RadioGroup>
  )
}
