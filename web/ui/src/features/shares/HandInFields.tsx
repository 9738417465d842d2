import { messagesAt } from '~/api/client'
import { Switch } from '~/components/field/Switch'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import { categories, type HandInForm } from './handIn'
import { texts } from './handInTexts'
import css from './Shares.module.css'

interface HandInFieldsProps {
  form: HandInForm
  set: (part: Partial<HandInForm>) => void
  errors: Record<string, string[]>
}

/** The settings of guest uploads. */
export function HandInFields({ form: f, set, errors }: HandInFieldsProps) {
  const t = useTexts(texts)
  return (
    <>
      <TextField
        label={t.maxFiles}
        help={t.forAll}
        inputMode="numeric"
        value={f.maxFiles}
        onChange={maxFiles => set({ maxFiles })}
        errors={messagesAt(errors, 'upload.max_files')}
      />
      <TextField
        label={t.maxFile}
        help={t.maxFileHelp}
        inputMode="decimal"
        value={f.maxFile}
        onChange={maxFile => set({ maxFile })}
        errors={messagesAt(errors, 'upload.max_file_size')}
      />
      <TextField
        label={t.maxTotal}
        help={t.forAll}
        inputMode="decimal"
        value={f.maxTotal}
        onChange={maxTotal => set({ maxTotal })}
        errors={messagesAt(errors, 'upload.max_total_size')}
      />
      <fieldset className={css.kinds}>
        <legend>{t.kinds}</legend>
        <span className={css.soft}>{t.kindsHelp}</span>
        {categories.map(c => (
          <Switch
            key={c}
            label={t.categories[c]}
            value={f.categories.includes(c)}
            onChange={on =>
              set({
                categories: categories.filter(other => (other === c ? on : f.categories.includes(other))),
              })
            }
          />
        ))}
      </fieldset>
      <TextField
        label={t.extensions}
        help={t.extensionsHelp}
        value={f.extensions}
        onChange={extensions => set({ extensions })}
        errors={messagesAt(errors, 'upload.extensions')}
      />
    </>
  )
}
