import type { Schemas } from '~/api/client'
import type { Field, FieldType } from './definitions'

export const fieldTypes: readonly FieldType[] = [
  'text',
  'long_text',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'term',
  'terms',
  'url',
]

export const isText = (type: FieldType) => type === 'text' || type === 'long_text' || type === 'url'
export const isNumber = (type: FieldType) => type === 'integer' || type === 'number'
export const isDate = (type: FieldType) => type === 'date' || type === 'datetime'
export const hasTerms = (type: FieldType) => type === 'term' || type === 'terms'

/** A field in its form: numbers and dates as typed. */
export interface FieldForm {
  key: string
  label: string
  description: string
  type: FieldType
  vocabulary: number | null
  required: boolean
  searchable: boolean
  filterable: boolean
  initial: string
  min: string
  max: string
  maxLength: string
  pattern: string
  classes: readonly number[]
  xmpPath: string
  newTerms: boolean
}

const typed = (v: unknown) =>
  v === null || v === undefined ? '' : Array.isArray(v) ? v.join(', ') : String(v)

export function formOf(f: Field | null): FieldForm {
  return {
    key: f?.key ?? '',
    label: f?.label ?? '',
    description: f?.description ?? '',
    type: f?.type ?? 'text',
    vocabulary: f?.vocabulary_id ?? null,
    required: f?.is_required ?? false,
    searchable: f?.is_searchable ?? true,
    filterable: f?.is_filterable ?? true,
    initial: typed(f?.default_value),
    min: typed(f?.validation.min),
    max: typed(f?.validation.max),
    maxLength: typed(f?.validation.max_length),
    pattern: f?.validation.pattern ?? '',
    classes: f?.asset_class_ids ?? [],
    xmpPath: f?.xmp_path ?? '',
    newTerms: f?.accepts_new_terms ?? false,
  }
}

function initialOf({ type, initial }: FieldForm) {
  const text = initial.trim()
  if (text === '') return null
  if (isNumber(type)) return numberOr(text)
  if (type === 'boolean') return text === 'true'
  if (type === 'terms') {
    return text
      .split(',')
      .map(k => k.trim())
      .filter(Boolean)
  }
  return text
}

/** A number, or the text unchanged, so that the server reports the error. */
function numberOr(text: string): number | string {
  const n = Number(text.replace(',', '.'))
  return Number.isNaN(n) ? text : n
}

function bound(form: FieldForm, text: string) {
  if (text.trim() === '') return null
  return isNumber(form.type) ? numberOr(text.trim()) : text.trim()
}

/** The API body for a form. */
export function changesOf(form: FieldForm): Schemas['UpdateMetadataField'] {
  const bounded = isNumber(form.type) || isDate(form.type)
  const text = isText(form.type)
  return {
    label: form.label,
    description: form.description || null,
    type: form.type,
    vocabulary_id: hasTerms(form.type) ? form.vocabulary : null,
    is_required: form.required,
    is_searchable: form.searchable,
    is_filterable: form.filterable,
    default_value: initialOf(form),
    validation: {
      min: bounded ? bound(form, form.min) : null,
      max: bounded ? bound(form, form.max) : null,
      max_length: text && form.maxLength ? Number(form.maxLength) : null,
      pattern: text ? form.pattern || null : null,
    },
    asset_class_ids: [...form.classes],
    xmp_path: form.xmpPath.trim() || null,
    accepts_new_terms: hasTerms(form.type) && form.newTerms,
  }
}

/** A key derived from a label: its letters and digits, with underscores between words. */
export function keyOf(label: string, between = '_'): string {
  const plain = label
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, between)
  return plain
    .replace(/^[^a-z]+/, '')
    .slice(0, 64)
    .replace(/[_-]+$/, '')
}
