import { useQuery } from '@tanstack/react-query'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import { type Field, planField, useChangeFields } from './definitions'
import { Plan } from './Plan'
import { texts } from './texts'

/** Asks before a field is deleted, with what that takes away. */
export function RemoveFieldDialog({ field, onClose }: { field: Field; onClose: () => void }) {
  const t = useTexts(texts)
  const { remove } = useChangeFields()
  const plan = useQuery({
    queryKey: ['field-plans', field.key], // not below 'fields', which are read again once it is deleted
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
