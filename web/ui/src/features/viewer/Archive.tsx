import { Notice } from '~/components/state/Notice'
import { Table } from '~/components/table/Table'
import { useFormat, useTexts } from '~/text/context'
import css from './Archive.module.css'
import type { Shown } from './shown'
import { type ArchiveFacts, technicalOf } from './technical'
import { texts } from './texts'
import { Unseen } from './Unseen'

/** The content of an archive, which is not extracted. */
export default function Archive({ asset }: { asset: Shown }) {
  const t = useTexts(texts)
  const format = useFormat()
  const archive: ArchiveFacts = technicalOf(asset).archive ?? {}
  const entries = archive.entries ?? []
  const rest = (archive.files ?? 0) + (archive.folders ?? 0) - entries.length
  const summary = useSummary(archive)
  const note = archive.encrypted && <Notice kind="info">{t.encrypted}</Notice>
  if (entries.length === 0) return <Unseen asset={asset}>{note || <p>{t.emptyArchive}</p>}</Unseen>
  return (
    <div className={css.archive}>
      <div className={css.list}>
        <p className={css.summary}>{summary}</p>
        {note}
        <Table
          label={t.contents}
          isPlain
          rows={entries.map((e, at) => ({ ...e, at }))}
          id={e => e.at}
          columns={[
            { head: t.name, cell: e => e.path },
            {
              head: t.size,
              cell: e => (e.size === undefined || e.path.endsWith('/') ? '' : format.size(e.size)),
              end: true,
              short: true,
            },
            { head: t.modified, cell: e => (e.modified ? format.time(e.modified) : ''), short: true },
          ]}
        />
        {rest > 0 ? (
          <p className={css.summary}>{t.andMore(format.number(rest))}</p>
        ) : (
          archive.truncated && <p className={css.summary}>{t.andOthers}</p>
        )}
      </div>
    </div>
  )
}

/** A summary of an archive's content. */
function useSummary({ kind, files, folders, unpacked_size }: ArchiveFacts): string {
  const t = useTexts(texts)
  const format = useFormat()
  const parts = [
    kind?.toUpperCase(),
    files !== undefined && format.plural(files, t.oneFile, t.otherFiles),
    folders ? format.plural(folders, t.oneFolder, t.otherFolders) : '',
    unpacked_size ? t.unpacked(format.size(unpacked_size)) : '',
  ]
  return parts.filter(Boolean).join(' · ')
}
