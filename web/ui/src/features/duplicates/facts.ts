import { useFormat, useTexts } from '~/text/context'
import type { AssetItem } from './best'
import { texts } from './texts'

/** One fact of several assets. */
interface Row {
  name: string
  values: string[]
  differs: boolean
  /** The index of the highest value, if it is unique. */
  best: number | null
}

/** The facts that distinguish near duplicates; those without values are omitted. */
export function useRows(assets: readonly AssetItem[]): Row[] {
  const t = useTexts(texts)
  const format = useFormat()
  const row = (
    name: string,
    value: (a: AssetItem) => string | null,
    size?: (a: AssetItem) => number,
  ): Row => {
    const values = assets.map(a => value(a) ?? '–')
    return {
      name,
      values,
      differs: new Set(values).size > 1,
      best: size ? mostOf(assets.map(size)) : null,
    }
  }
  return [
    row(
      t.dimensions,
      a => (a.width && a.height ? `${format.number(a.width)} × ${format.number(a.height)}` : null),
      a => (a.width ?? 0) * (a.height ?? 0),
    ),
    row(
      t.size,
      a => format.size(a.file_size),
      a => a.file_size,
    ),
    row(t.format, a => a.extension.toUpperCase()),
    row(t.fileName, a => a.original_filename),
    row(t.taken, a => a.capture_local_time && format.localTime(a.capture_local_time)),
    row(t.added, a => format.time(a.created_at)),
    row(t.rating, a => (a.rating ? '★'.repeat(a.rating) : null)),
    row(t.keywords, a => a.keywords.join(', ') || null),
    row(t.creator, a => a.creator),
    row(t.copyright, a => a.copyright),
    row(t.description, a => a.description),
  ].filter(r => r.values.some(v => v !== '–'))
}

/** The index of the largest number, if it is unique. */
function mostOf(numbers: readonly number[]): number | null {
  const most = Math.max(...numbers)
  return numbers.filter(n => n === most).length === 1 ? numbers.indexOf(most) : null
}
