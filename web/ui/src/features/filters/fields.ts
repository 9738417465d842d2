import type { Schemas } from '~/api/client'

/** The kind of a field, which determines its operators and the input for its value. */
export type FieldKind =
  | 'text'
  | 'plain'
  | 'enum'
  | 'number'
  | 'date'
  | 'set'
  | 'ids'
  | 'tree'
  | 'users'
  | 'keys'
  | 'uses'
  | 'flag'
  | 'shares'
  | 'classes'
  | 'terms'
  | 'colors'
  | 'all'
  | 'boolean'
  | 'format'

export interface FilterField {
  /** The name in rules. */
  name: string
  kind: FieldKind
  /** The values of an enum. */
  words?: readonly string[]
  /** Its values can be counted for a result. */
  vocabulary?: number
  /** Its values can be counted for a result. */
  isCounted?: boolean
  /** The display name; the names of built-in fields are in the texts. */
  label?: string
}

export type Operator = Schemas['FilterOperator']

/** All values of an enum of the API, in order. */
const words = <T extends string>(of: Record<T, true>): readonly string[] => Object.keys(of)

/** The built-in fields: all fields of the filter language. */
const always: Record<Schemas['FilterField'], Omit<FilterField, 'name'>> = {
  asset: { kind: 'all' },
  'asset.title': { kind: 'text' },
  'asset.keywords': { kind: 'set' },
  'asset.description': { kind: 'text' },
  'asset.rating': { kind: 'number' },
  'asset.capture_date': { kind: 'date' },
  'asset.created_at': { kind: 'date' },
  'asset.updated_at': { kind: 'date' },
  'asset.collections': { kind: 'ids' },
  'asset.collection_tree': { kind: 'tree' },
  'asset.picked_in': { kind: 'shares' },
  'asset.shared': { kind: 'flag' },
  'asset.downloads': { kind: 'uses' },
  'asset.views': { kind: 'uses' },
  'asset.owner': { kind: 'users' },
  'asset.created_by': { kind: 'users' },
  'asset.updated_by': { kind: 'users' },
  'asset.deleted_at': { kind: 'date' },
  'asset.gaid': { kind: 'keys' },
  'asset.checksum_sha256': { kind: 'keys' },
  'asset.file_version': { kind: 'number' },
  'asset.orientation': { kind: 'enum', words: ['landscape', 'portrait', 'square'] },
  'asset.aspect_ratio': { kind: 'number' },
  'asset.megapixels': { kind: 'number' },
  'asset.camera': { kind: 'plain' },
  'asset.lens': { kind: 'plain' },
  'asset.iso': { kind: 'number' },
  'asset.focal_length': { kind: 'number' },
  'asset.asset_class_id': { kind: 'classes' },
  'asset.colors': { kind: 'colors' },
  'asset.creator': { kind: 'text' },
  'asset.copyright': { kind: 'text' },
  'asset.original_filename': { kind: 'text' },
  'asset.place': { kind: 'text' },
  'asset.location.latitude': { kind: 'number' },
  'asset.location.longitude': { kind: 'number' },
  'asset.usage_from': { kind: 'date' },
  'asset.usage_until': { kind: 'date' },
  'asset.usage_terms': { kind: 'text' },
  'asset.file_category': {
    kind: 'enum',
    words: words<Schemas['FileCategory']>({ Image: true, Video: true, Audio: true, Document: true }),
  },
  'asset.workflow_status': {
    kind: 'enum',
    words: words<Schemas['WorkflowStatus']>({
      draft: true,
      in_review: true,
      approved: true,
      rejected: true,
      archived: true,
    }),
  },
  'asset.processing_status': {
    kind: 'enum',
    words: words<Schemas['ProcessingStatus']>({ processing: true, ready: true, failed: true, damaged: true }),
  },
  'asset.folder': { kind: 'plain' },
  'asset.availability': {
    kind: 'enum',
    words: words<Schemas['Availability']>({
      available: true,
      offline: true,
      missing: true,
      unreadable: true,
    }),
  },
  'asset.width': { kind: 'number' },
  'asset.height': { kind: 'number' },
  'asset.file_size': { kind: 'number' },
  'asset.duration': { kind: 'number' },
  'asset.page_count': { kind: 'number' },
  'asset.ingestion_batch_id': { kind: 'number' },
  'asset.mime_type': { kind: 'format' },
  'asset.extension': { kind: 'plain' },
  'asset.ocr_text': { kind: 'text' },
  'asset.ai_caption': { kind: 'text' },
  'asset.people': { kind: 'set' },
  'asset.ai_tags': { kind: 'set' },
}
export const builtIn: readonly FilterField[] = Object.entries(always).map(([name, field]) => ({
  name,
  ...field,
}))

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
  tree: many,
  users: [...same, ...many, ...empty],
  keys: [...same, ...many],
  uses: [
    'greater_than_or_equal',
    'less_than_or_equal',
    'between',
    ...same,
    'greater_than',
    'less_than',
    ...many,
  ],
  flag: same,
  shares: many,
  classes: [...many, ...same, ...empty],
  terms: [...many, ...same, ...part, ...empty],
  colors: ['color_near', 'color_equals', ...empty],
  all: search,
  boolean: [...same, ...empty],
  format: [...many, ...same, ...part, ...ends, ...empty],
}

/** The operators of a field, most common first. */
export function operators(kind: FieldKind): readonly Operator[] {
  return operatorsOf[kind]
}

/** The input for a rule's value. */
export type ValueShape = 'none' | 'one' | 'two' | 'many'

export function shapeOf(operator: Operator, kind: FieldKind): ValueShape {
  if (operator === 'is_empty' || operator === 'is_not_empty') return 'none'
  if (operator === 'between') return 'two'
  if (operator === 'in' || operator === 'not_in') return 'many'
  const isSet = kind === 'set' || kind === 'ids' || kind === 'terms'
  if ((operator === 'equals' || operator === 'not_equals') && isSet) return 'many'
  return 'one'
}

/** A custom field for use in rules. */
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
