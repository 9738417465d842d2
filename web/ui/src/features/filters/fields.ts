import type { Schemas } from '~/api/client'

/** What a field holds, which decides its operators and how its value is written. */
export type FieldKind =
  | 'text'
  | 'plain'
  | 'enum'
  | 'number'
  | 'date'
  | 'set'
  | 'ids'
  | 'classes'
  | 'terms'
  | 'colors'
  | 'all'
  | 'boolean'

export interface FilterField {
  /** As rules name it. */
  name: string
  kind: FieldKind
  /** The words of an enum. */
  words?: readonly string[]
  /** The vocabulary that its terms are from. */
  vocabulary?: number
  /** Its values can be counted beside a result. */
  isCounted?: boolean
  /** What people call it; built-in fields have their name in the texts. */
  label?: string
}

export type Operator =
  | 'equals'
  | 'not_equals'
  | 'contains'
  | 'not_contains'
  | 'starts_with'
  | 'ends_with'
  | 'greater_than'
  | 'greater_than_or_equal'
  | 'less_than'
  | 'less_than_or_equal'
  | 'in'
  | 'not_in'
  | 'between'
  | 'is_empty'
  | 'is_not_empty'
  | 'hybrid_search'
  | 'exact_search'
  | 'color_equals'
  | 'color_near'

/** The fields that every library has. */
export const builtIn: readonly FilterField[] = [
  { name: 'asset', kind: 'all' },
  { name: 'asset.title', kind: 'text' },
  { name: 'asset.keywords', kind: 'set' },
  { name: 'asset.description', kind: 'text' },
  { name: 'asset.rating', kind: 'number' },
  { name: 'asset.capture_date', kind: 'date' },
  { name: 'asset.created_at', kind: 'date' },
  { name: 'asset.updated_at', kind: 'date' },
  { name: 'asset.collections', kind: 'ids' },
  { name: 'asset.asset_class_id', kind: 'classes' },
  { name: 'asset.colors', kind: 'colors' },
  { name: 'asset.creator', kind: 'text' },
  { name: 'asset.copyright', kind: 'text' },
  { name: 'asset.original_filename', kind: 'text' },
  { name: 'asset.place', kind: 'text' },
  { name: 'asset.location.latitude', kind: 'number' },
  { name: 'asset.location.longitude', kind: 'number' },
  { name: 'asset.usage_from', kind: 'date' },
  { name: 'asset.usage_until', kind: 'date' },
  { name: 'asset.usage_terms', kind: 'text' },
  { name: 'asset.file_category', kind: 'enum', words: ['Image', 'Video', 'Audio', 'Document'] },
  {
    name: 'asset.workflow_status',
    kind: 'enum',
    words: ['draft', 'in_review', 'approved', 'rejected', 'archived'],
  },
  { name: 'asset.processing_status', kind: 'enum', words: ['processing', 'ready', 'failed', 'damaged'] },
  { name: 'asset.width', kind: 'number' },
  { name: 'asset.height', kind: 'number' },
  { name: 'asset.file_size', kind: 'number' },
  { name: 'asset.duration', kind: 'number' },
  { name: 'asset.page_count', kind: 'number' },
  { name: 'asset.ingestion_batch_id', kind: 'number' },
  { name: 'asset.mime_type', kind: 'plain' },
  { name: 'asset.extension', kind: 'plain' },
  { name: 'asset.ocr_text', kind: 'text' },
  { name: 'asset.ai_caption', kind: 'text' },
  { name: 'asset.ai_tags', kind: 'set' },
]

const same: Operator[] = ['equals', 'not_equals']
const part: Operator[] = ['contains', 'not_contains']
const ends: Operator[] = ['starts_with', 'ends_with']
const order: Operator[] = ['greater_than', 'greater_than_or_equal', 'less_than', 'less_than_or_equal']
const many: Operator[] = ['in', 'not_in']
const empty: Operator[] = ['is_empty', 'is_not_empty']
const search: Operator[] = ['hybrid_search', 'exact_search']

const operatorsOf: Record<FieldKind, readonly Operator[]> = {
  text: [...part, ...same, ...ends, ...many, ...empty, ...search],
  plain: [...part, ...same, ...ends, ...many, ...empty],
  set: [...many, ...same, ...part, ...ends, ...empty, ...search],
  enum: [...same, ...many, ...empty],
  number: [
    'greater_than_or_equal',
    'less_than_or_equal',
    'between',
    ...same,
    'greater_than',
    'less_than',
    ...many,
    ...empty,
  ],
  date: ['between', ...order, ...same, ...many, ...empty],
  ids: [...many, ...same, ...part, ...empty],
  classes: [...many, ...same, ...empty],
  terms: [...many, ...same, ...part, ...empty],
  colors: ['color_near', 'color_equals', ...empty],
  all: search,
  boolean: [...same, ...empty],
}

/** The operators of a field, the likeliest first. */
export function operators(kind: FieldKind): readonly Operator[] {
  return operatorsOf[kind]
}

/** How a rule's value is written. */
export type ValueShape = 'none' | 'one' | 'two' | 'many'

export function shapeOf(operator: Operator, kind: FieldKind): ValueShape {
  if (operator === 'is_empty' || operator === 'is_not_empty') return 'none'
  if (operator === 'between') return 'two'
  if (operator === 'in' || operator === 'not_in') return 'many'
  const isSet = kind === 'set' || kind === 'ids' || kind === 'terms'
  if ((operator === 'equals' || operator === 'not_equals') && isSet) return 'many'
  return 'one'
}

/** A custom field as rules see it. */
export function customField(f: Schemas['MetadataField']): FilterField {
  const kinds: Record<Schemas['MetadataField']['type'], FieldKind> = {
    text: f.is_searchable ? 'text' : 'plain',
    long_text: f.is_searchable ? 'text' : 'plain',
    url: f.is_searchable ? 'text' : 'plain',
    integer: 'number',
    number: 'number',
    boolean: 'boolean',
    date: 'date',
    datetime: 'date',
    term: 'terms',
    terms: 'terms',
  }
  return {
    name: `metadata.${f.key}`,
    kind: kinds[f.type],
    label: f.label,
    isCounted: ['text', 'integer', 'boolean', 'term', 'terms'].includes(f.type),
    ...(f.vocabulary_id !== null && { vocabulary: f.vocabulary_id }),
  }
}
