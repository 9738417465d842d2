import { Checkbox, CheckboxGroup, Label } from 'react-aria-components'
import { DateField } from '~/components/field/DateFields'
import field from '~/components/field/Field.module.css'
import { Select } from '~/components/field/Select'
import { Switch } from '~/components/field/Switch'
import { TextField } from '~/components/field/TextField'
import { useTexts } from '~/text/context'
import { useAssetClasses } from './all'
import css from './Definitions.module.css'
import { useVocabularies } from './definitions'
import { type FieldForm, fieldTypes, hasTerms, isDate, isNumber, isText, keyOf } from './form'
import { texts } from './texts'

interface FieldFieldsProps {
  form: FieldForm
  isNew: boolean
  onChange: (changes: Partial<FieldForm>) => void
  errors: Record<string, string[]>
}

/** The settings of a field, depending on its type. */
export function FieldFields({ form, isNew, onChange, errors }: FieldFieldsProps) {
  const t = useTexts(texts)
  const vocabularies = useVocabularies()
  const keyFollows = isNew && form.key === keyOf(form.label)
  return (
    <>
      <TextField
        label={t.label}
        value={form.label}
        onChange={label => onChange({ label, ...(keyFollows ? { key: keyOf(label) } : {}) })}
        isRequired
        autoFocus
        errors={errors.label ?? []}
      />
      {isNew && (
        <TextField
          label={t.key}
          help={t.keyHelp}
          value={form.key}
          onChange={key => onChange({ key })}
          isRequired
          errors={errors.key ?? []}
        />
      )}
      <Select
        label={t.type}
        choices={fieldTypes.map(id => ({ id, text: t.types[id] }))}
        value={form.type}
        onChange={type => onChange({ type, initial: '', min: '', max: '' })}
        errors={errors.type ?? []}
      />
      {hasTerms(form.type) && (
        <Select
          label={t.vocabulary}
          choices={(vocabularies.data ?? []).map(v => ({ id: String(v.id), text: v.name }))}
          value={form.vocabulary === null ? null : String(form.vocabulary)}
          onChange={id => onChange({ vocabulary: Number(id) })}
          errors={errors.vocabulary_id ?? []}
        />
      )}
      <TextField
        label={t.description}
        value={form.description}
        onChange={description => onChange({ description })}
        long
        errors={errors.description ?? []}
      />
      <Validation form={form} onChange={onChange} errors={errors} />
      <Initial form={form} onChange={onChange} errors={errors} />
      <Switch label={t.isRequired} value={form.required} onChange={required => onChange({ required })} />
      <Switch
        label={t.isSearchable}
        value={form.searchable}
        onChange={searchable => onChange({ searchable })}
      />
      <Switch
        label={t.isFilterable}
        value={form.filterable}
        onChange={filterable => onChange({ filterable })}
      />
      <TextField
        label={t.xmpPath}
        help={t.xmpPathHelp}
        value={form.xmpPath}
        onChange={xmpPath => onChange({ xmpPath })}
        errors={errors.xmp_path ?? []}
      />
      {hasTerms(form.type) && (
        <Switch label={t.newTerms} value={form.newTerms} onChange={newTerms => onChange({ newTerms })} />
      )}
      <Classes form={form} onChange={onChange} />
    </>
  )
}

type PartProps = Omit<FieldFieldsProps, 'isNew'>

function Validation({ form, onChange, errors }: PartProps) {
  const t = useTexts(texts)
  const wrong = (name: string) => errors[`validation.${name}`] ?? []
  if (isText(form.type)) {
    return (
      <div className={css.two}>
        <TextField
          label={t.maxLength}
          type="number"
          value={form.maxLength}
          onChange={maxLength => onChange({ maxLength })}
          errors={wrong('max_length')}
        />
        <TextField
          label={t.pattern}
          value={form.pattern}
          onChange={pattern => onChange({ pattern })}
          errors={wrong('pattern')}
        />
      </div>
    )
  }
  if (!isNumber(form.type) && !isDate(form.type)) return null
  const Bound = isDate(form.type) ? DateField : TextField
  const withTime = form.type === 'datetime' && { withTime: true }
  return (
    <div className={css.two}>
      <Bound
        {...withTime}
        label={isDate(form.type) ? t.earliest : t.min}
        value={form.min}
        onChange={min => onChange({ min })}
        errors={wrong('min')}
      />
      <Bound
        {...withTime}
        label={isDate(form.type) ? t.latest : t.max}
        value={form.max}
        onChange={max => onChange({ max })}
        errors={wrong('max')}
      />
    </div>
  )
}

const nothing = 'none'

function Initial({ form, onChange, errors }: PartProps) {
  const t = useTexts(texts)
  const wrong = Object.entries(errors).flatMap(([k, v]) => (k.startsWith('default_value') ? v : []))
  if (form.type === 'boolean') {
    return (
      <Select
        label={t.initial}
        choices={[
          { id: nothing, text: t.nothing },
          { id: 'true', text: t.yes },
          { id: 'false', text: t.no },
        ]}
        value={form.initial || nothing}
        onChange={v => onChange({ initial: v === nothing ? '' : v })}
        errors={wrong}
      />
    )
  }
  const One = isDate(form.type) ? DateField : TextField
  return (
    <One
      {...(form.type === 'datetime' && { withTime: true })}
      label={t.initial}
      {...(hasTerms(form.type) ? { help: t.initialTermHelp } : {})}
      value={form.initial}
      onChange={initial => onChange({ initial })}
      errors={wrong}
    />
  )
}

function Classes({ form, onChange }: Omit<PartProps, 'errors'>) {
  const t = useTexts(texts)
  const classes = useAssetClasses()
  if (!classes.data?.length) return null
  return (
    <CheckboxGroup
      value={form.classes.map(String)}
      onChange={ids => onChange({ classes: ids.map(Number) })}
      className={css.classes}
    >
      <Label className={field.label}>{t.classesOfField}</Label>
      <span className={field.help}>{t.classesOfFieldHelp}</span>
      {classes.data.map(c => (
        <Checkbox key={c.id} value={String(c.id)} className={css.check}>
          <span className={css.box} aria-hidden />
          {c.name}
        </Checkbox>
      ))}
    </CheckboxGroup>
  )
}
