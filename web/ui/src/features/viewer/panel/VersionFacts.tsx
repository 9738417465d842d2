import { useFormat, useTexts } from '~/text/context'
import css from './Versions.module.css'
import type { Version } from './versionQueries'
import { texts } from './versionTexts'

/** A version's date, user and size. */
export function VersionFacts({ version: v }: { version: Version }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <>
      <span className={css.soft}>
        <time dateTime={v.created_at}>{format.time(v.created_at)}</time>
        {v.created_by && ` · ${v.created_by.name}`}
      </span>
      <span className={css.soft}>
        {[
          format.size(v.file_size),
          v.width && v.height && `${format.number(v.width)} × ${format.number(v.height)}`,
          v.duration !== null && format.duration(v.duration),
          v.expires_at && t.keptUntil(format.day(v.expires_at)),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  )
}
