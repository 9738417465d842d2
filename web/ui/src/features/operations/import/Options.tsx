import type { Schemas } from '~/api/client'
import { Choices } from '~/components/field/Choices'
import { Select } from '~/components/field/Select'
import { Notice } from '~/components/state/Notice'
import { Table } from '~/components/table/Table'
import { useAllFields } from '~/features/definitions/all'
import type { usePresent } from '~/features/selected/EditFields'
import { useFormat, useTexts } from '~/text/context'
import css from './Import.module.css'
import { type Column, type ImportTable, matchColumns } from './table'
import { texts } from './texts'

interface OptionsProps {
  table: ImportTable
  fields: ReturnType<typeof usePresent>
  /** The column that identifies the asset of a row. */
  matchBy: string
  onMatchBy: (column: string) => void
  empty: Schemas['EmptyCells']
  onEmpty: (empty: Schemas['EmptyCells']) => void
}

/** How to read a table: the column that identifies assets, the meaning of empty cells, and the use of each column. */
export function Options({ table, fields, matchBy, onMatchBy, empty, onEmpty }: OptionsProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const matches = matchColumns(table)
  const unknown = table.columns.filter(c => c.use === 'unknown').map(c => c.name)
  const use = useUse(fields, matchBy)
  return (
    <>
      {unknown.length > 0 && <Notice kind="warning">{t.unknownColumns(format.list(unknown))}</Notice>}
      <div className={css.options}>
        {matches.length > 0 && (
          <Select
            label={t.matchBy}
            choices={matches.map(c => ({ id: c.name, text: c.name }))}
            value={matchBy}
            onChange={onMatchBy}
          />
        )}
        <Choices
          label={t.empty}
          choices={[
            { id: 'keep', text: t.keep, help: t.keepHelp },
            { id: 'clear', text: t.clear, help: t.clearHelp },
          ]}
          value={empty}
          onChange={onEmpty}
        />
      </div>
      <div className={css.rows}>
        <Table
          label={t.columns}
          rows={table.columns}
          id={c => c.name}
          isPlain
          columns={[
            { head: t.column, cell: c => <code className={css.code}>{c.name}</code>, short: true },
            { head: t.use, cell: use },
            { head: t.example, cell: c => <span className={css.soft}>{c.example}</span> },
          ]}
        />
      </div>
    </>
  )
}

/** The use of a column, in words. */
function useUse(fields: OptionsProps['fields'], matchBy: string) {
  const t = useTexts(texts)
  const known = useAllFields().data
  return ({ name, use }: Column) => {
    const custom = name.startsWith('metadata.')
    if (custom && known && !known.some(f => `metadata.${f.key}` === name))
      return <span className={css.wrong}>{t.noField}</span>
    if (name === matchBy) return <strong>{t.finds}</strong>
    if (use === 'unknown') return <span className={css.wrong}>{t.unknown}</span>
    if (use === 'ignored') return <span className={css.soft}>{t.ignored}</span>
    const field = custom ? name : (name.split('.')[0] ?? name) // a location has several columns
    return t.changes(fields.names[field] ?? name)
  }
}
