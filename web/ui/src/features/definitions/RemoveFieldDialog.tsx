import { useQuery } from '@tanstack/react-query'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import { type Field, planField, useChangeFields } from './definitions'
import { Plan } from './Plan'
import { texts } from './texts'

/** Asks for confirmation before deleting a field, listing the consequences. */
export function RemoveFieldDialog({ field, onClose }: { field: Field; onClose: () => void }) {
  const t = useTexts(texts)
  const { remove } = useChangeFields()
  const plan = useQuery({
    queryKey: ['field-plans', field.key], // outside 'fields', which are reloaded after the deletion
    queryFn: () => planField(field.key),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <ConfirmDialog
      title={t.removeField(field.label)}
      action={t.remove}
      isDisabled={!plan.data}
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(field.key)
        toast({ text: t.removed(field.label) })
      }}
    >
      {plan.isPending && <Busy label={t.planning} />}
      {plan.error && <Notice kind="danger">{plan.error.message}</Notice>}
      {plan.data && <Plan plan={plan.data} />}
    </ConfirmDialog>
  )
}
