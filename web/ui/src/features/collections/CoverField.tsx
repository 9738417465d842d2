import { Button } from '~/components/button/Button'
import { useTexts } from '~/text/context'
import css from './Cover.module.css'
import { coverURL } from './collections'
import { texts } from './texts'

interface CoverFieldProps {
  gaid: string | null
  onChange: (gaid: string | null) => void
  errors: string[]
}

/** The cover of a collection, chosen from its assets. */
export function CoverField({ gaid, onChange, errors }: CoverFieldProps) {
  const t = useTexts(texts)
  return (
    <fieldset className={css.field}>
      <legend className={css.label}>{t.cover}</legend>
      <div className={css.cover}>
        {gaid && <img src={coverURL(gaid)} alt="" />}
        <span className={css.help}>{t.coverHelp}</span>
        {gaid && <Button onPress={() => onChange(null)}>{t.noCover}</Button>}
      </div>
      {errors.length > 0 && <span className={css.error}>{errors.join(' ')}</span>}
    </fieldset>
  )
}
