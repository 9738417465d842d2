import { useMemo, useState } from 'react'
import type { Schemas } from '~/api/client'
import { useAllFields, useAssetClasses } from '~/features/definitions/all'
import { textFor } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import type { AssetItem } from './query'
import type { SortBy } from './sort'
import { texts } from './texts'

export interface Column {
  id: string
  /** The heading. */
  head: string
  /** The default width in pixels. */
  width: number
  /** Aligns numbers at the end. */
  end?: boolean
  sort?: SortBy
  text: (asset: AssetItem) => string
}

export const titleColumn = 'title'
const storageKey = 'dal.columns'
const usual = ['original_filename', 'type', 'size', 'dimensions', 'capture_date', 'created_at']
export const narrowest = 64 // pixels

/** All columns except the title, which is always visible. */
export function useColumns(): Column[] {
  const t = useTexts(texts)
  const f = useFormat()
  const fields = useAllFields()
  const classes = useAssetClasses()
  return useMemo(() => {
    const c = t.columns
    const column = (id: string, width: number, text: Column['text'], more: Partial<Column> = {}): Column => ({
      id,
      head: textFor(c, id),
      width,
      text,
      ...more,
    })
    const time = (id: 'created_at' | 'updated_at' | 'usage_until', sort?: SortBy) =>
      column(id, 188, a => (a[id] ? f.time(a[id]) : ''), sort ? { sort } : {})
    const className = (id: number | null) => classes.data?.find(k => k.id === id)?.name ?? ''
    const number = { end: true }
    return [
      column('original_filename', 180, a => a.original_filename, { sort: 'original_filename' }),
      column('type', 72, a => a.extension.toUpperCase()),
      column('size', 92, a => f.size(a.file_size), { ...number, sort: 'size' }),
      column(
        'dimensions',
        124,
        a => (a.width ? `${f.number(a.width)} × ${f.number(a.height ?? 0)}` : ''),
        number,
      ),
      column('duration', 90, a => (a.duration === null ? '' : f.duration(a.duration)), number),
      column('pages', 80, a => (a.page_count === null ? '' : f.number(a.page_count)), number),
      column('capture_date', 188, a => (a.capture_local_time ? f.localTime(a.capture_local_time) : ''), {
        sort: 'capture_date',
      }),
      time('created_at', 'created_at'),
      time('updated_at', 'updated_at'),
      column('creator', 160, a => a.creator ?? ''),
      column('copyright', 160, a => a.copyright ?? ''),
      column('keywords', 220, a => a.keywords.join(', ')),
      column('rating', 110, a => '★'.repeat(a.rating ?? 0), { sort: 'rating' }),
      column('description', 240, a => a.description ?? ''),
      column('place', 160, a => a.location?.place ?? ''),
      time('usage_until', 'usage_until'),
      column('status', 120, a => t.statuses[a.workflow_status]),
      column('class', 140, a => className(a.asset_class_id)),
      ...(fields.data ?? []).map(field => custom(field, f, t.yesNo)),
    ]
  }, [t, f, fields.data, classes.data])
}

type Format = ReturnType<typeof useFormat>

/** The column of a custom field. */
function custom(field: Schemas['MetadataField'], f: Format, yesNo: Record<string, string>): Column {
  const show = (v: unknown): string => {
    if (v === null || v === undefined) return ''
    if (Array.isArray(v)) return v.map(show).join(', ')
    if (typeof v === 'boolean') return yesNo[String(v)] ?? ''
    if (typeof v === 'number') return f.number(v)
    if (field.type === 'datetime') return f.time(String(v))
    if (field.type === 'date') return f.day(String(v))
    return String(v)
  }
  return {
    id: `metadata.${field.key}`,
    head: field.label,
    width: 160,
    end: field.type === 'integer' || field.type === 'number',
    text: a => show(a.metadata[field.key]),
  }
}

interface Chosen {
  ids: string[]
  widths: Record<string, number>
}

function stored(): Chosen {
  try {
    const { ids, widths } = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Chosen>
    return { ids: ids ?? usual, widths: widths ?? {} }
  } catch {
    return { ids: usual, widths: {} }
  }
}

/** The chosen columns and their widths, stored in the browser. */
export function useChosenColumns() {
  const [chosen, setChosen] = useState(stored)
  const change = (next: Chosen) => {
    localStorage.setItem(storageKey, JSON.stringify(next))
    setChosen(next)
  }
  return {
    ids: chosen.ids,
    choose: (ids: string[]) => change({ ...chosen, ids }),
    isChosen: (id: string) => chosen.widths[id] !== undefined,
    widthOf: (id: string, byDefault: number) => chosen.widths[id] ?? byDefault,
    resize: (id: string, width: number) =>
      change({ ...chosen, widths: { ...chosen.widths, [id]: Math.max(narrowest, Math.round(width)) } }),
  }
}
