import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { preview, type Start } from '~/features/selected/bulk'
import { usePresent } from '~/features/selected/EditFields'
import { useFormat, useTexts } from '~/text/context'
import { Options } from './Options'
import { Plan } from './Plan'
import { type ImportTable, matchColumns, sendTable } from './table'
import { texts } from './texts'

interface ImportDialogProps {
  file: File
  /** Identifies this choice: choosing a file again reads it again. */
  id: string
  /** Chooses another file. */
  onChoose: () => void
  onClose: () => void
}

/** Imports a table: shows its columns, then a preview, then runs the import. */
export default function ImportDialog({ file, id, onChoose, onClose }: ImportDialogProps) {
  const t = useTexts(texts)
  const table = useQuery({
    queryKey: ['import-tables', id],
    queryFn: () => sendTable(file),
    retry: false,
    refetchOnWindowFocus: false, // a failed request is not repeated automatically
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Dialog title={t.title} isOpen onClose={onClose} wide>
      {table.isPending && <Busy label={t.reading} />}
      {table.error && <Notice kind="danger">{table.error.message}</Notice>}
      {table.data ? (
        <Steps table={table.data} onChoose={onChoose} onClose={onClose} />
      ) : (
        <DialogButtons>
          <Button onPress={onClose}>{t.cancel}</Button>
          {table.error && (
            <Button look="primary" onPress={onChoose}>
              {t.chooseOther}
            </Button>
          )}
        </DialogButtons>
      )}
    </Dialog>
  )
}

interface StepsProps {
  table: ImportTable
  onChoose: () => void
  onClose: () => void
}

function Steps({ table, onChoose, onClose }: StepsProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const fields = usePresent()
  const navigate = useNavigate()
  const client = useQueryClient()
  const matches = matchColumns(table)
  const [matchBy, setMatchBy] = useState(matches[0]?.name ?? '')
  const [empty, setEmpty] = useState<Schemas['EmptyCells']>('keep')
  const [plan, setPlan] = useState<Schemas['OperationPreview'] | null>(null)
  const writes = table.columns.some(c => c.use === 'writes' && c.name !== matchBy)
  const body: Start = {
    type: 'metadata_import',
    file_id: table.id,
    match_by: matchBy,
    empty,
    ignore_unknown: table.columns.some(c => c.use === 'unknown'),
  }
  const start = async () => {
    const params = { header: { 'Idempotency-Key': crypto.randomUUID() } }
    const answer = await data(api.POST('/api/v1/operations', { params, body }))
    void client.invalidateQueries({ queryKey: ['operations'] })
    onClose()
    await navigate(`/operations/${(answer as { data: Schemas['Operation'] }).data.id}`)
  }
  if (plan)
    return (
      <Form key="plan" onSubmit={start}>
        {({ pending, errors }) => (
          <>
            <Faults errors={errors} />
            <Plan plan={plan} fields={fields} />
            <DialogButtons>
              <Button onPress={() => setPlan(null)}>{t.back}</Button>
              <Button type="submit" look="primary" isPending={pending} isDisabled={plan.changed === 0}>
                {format.plural(plan.changed, t.startOne, t.startOther)}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    )
  const cannot =
    (table.rows_count === 0 && t.noRows) || (matches.length === 0 && t.noMatch) || (!writes && t.noWrites)
  return (
    <Form key="options" onSubmit={async () => setPlan(await preview(body))}>
      {({ pending, errors }) => (
        <>
          <p>
            <strong>{table.filename}</strong>, {format.plural(table.rows_count, t.rowsOne, t.rowsOther)}
          </p>
          <Faults errors={errors} />
          {cannot && <Notice kind="danger">{cannot}</Notice>}
          <Options
            table={table}
            fields={fields}
            matchBy={matchBy}
            onMatchBy={setMatchBy}
            empty={empty}
            onEmpty={setEmpty}
          />
          <DialogButtons>
            <Button onPress={onClose}>{t.cancel}</Button>
            <Button onPress={onChoose}>{t.chooseOther}</Button>
            <Button type="submit" look="primary" isPending={pending} isDisabled={cannot !== false}>
              {t.look}
            </Button>
          </DialogButtons>
        </>
      )}
    </Form>
  )
}

/** Errors of the server for the import. */
function Faults({ errors }: { errors: Record<string, string[]> }) {
  const messages = Object.values(errors).flat()
  return messages.length > 0 && <Notice kind="danger">{messages.join(' ')}</Notice>
}
