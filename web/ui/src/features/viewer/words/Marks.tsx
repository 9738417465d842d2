import css from './Words.module.css'
import { matching, useSearched, type Word } from './words'

const share = (n: number) => `${n * 100}%`

/** Marks the words of a picture that match the search. */
export function Marks({ words }: { words: Word[] }) {
  const found = matching(words, useSearched())
  if (found.length === 0) return null
  return (
    <div className={css.marks} aria-hidden="true" data-marks={found.length}>
      {found.map((w, i) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of a picture stay as they are
          key={i}
          className={css.mark}
          style={{ left: share(w.x), top: share(w.y), width: share(w.width), height: share(w.height) }}
        />
      ))}
    </div>
  )
}
