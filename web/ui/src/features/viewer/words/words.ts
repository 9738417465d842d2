import { useAssetQuery } from '~/features/assets/query'
import type { Shown } from '../shown'
import { technicalOf } from '../technical'

/** A word recognized in a picture, with its position in fractions of the picture from its top left corner. */
export interface Word {
  text: string
  x: number
  y: number
  width: number
  height: number
  line: number
}

/** A line of text with its position. */
export type TextLine = Omit<Word, 'line'>

/** The words recognized in the only picture of an asset. */
export function wordsOf(asset: Shown): Word[] {
  const page = technicalOf(asset).ocr?.pages?.[0]
  return (page?.words ?? []).map(({ t, x, y, w, h, l }) => ({ text: t, x, y, width: w, height: h, line: l }))
}

/** Joins words into lines in reading order. */
export function linesOf(words: Word[]): TextLine[] {
  const lines: (TextLine & { line: number })[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (!last || last.line !== word.line) {
      lines.push({ ...word })
      continue
    }
    const right = Math.max(last.x + last.width, word.x + word.width)
    const bottom = Math.max(last.y + last.height, word.y + word.height)
    last.text += ` ${word.text}`
    last.x = Math.min(last.x, word.x)
    last.y = Math.min(last.y, word.y)
    last.width = right - last.x
    last.height = bottom - last.y
  }
  return lines
}

const marks = /\p{M}/gu
const others = /[^\p{L}\p{N}]+/u

/** The words of a text, normalized for comparison. */
function plain(text: string): string[] {
  return text.normalize('NFKD').replace(marks, '').toLowerCase().split(others).filter(Boolean)
}

const ending = 3 // maximum number of additional letters in an inflected form

/** Whether two words are the same, apart from their endings. */
function same(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return a === b || (short.length >= 3 && long.length - short.length <= ending && long.startsWith(short))
}

/** The words of a picture that match a search. */
export function matching(words: Word[], query: string): Word[] {
  const wanted = plain(query)
  if (wanted.length === 0) return []
  return words.filter(w => plain(w.text).some(p => wanted.some(q => same(p, q))))
}

/** The search of the list around an asset. */
export function useSearched(): string {
  return useAssetQuery().q ?? ''
}
