import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { useTexts } from '~/text/context'
import { type Field, type FieldPlan, planField, useChangeFields } from './definitions'
import { FieldFields } from './FieldFields'
import { changesOf, type FieldForm, formOf } from './form'
import { loses, Plan } from './Plan'
import { texts } from './texts'

/** Creates or changes a field, after showing the values that assets would lose. */
export function FieldDialog({ field, onClose }: { field: Field | null; onClose: () => void }) {
  const t = useTexts(texts)
  const { create, update } = useChangeFields()
  const [form, setForm] = useState<FieldForm>(() => formOf(field))
  const [plan, setPlan] = useState<FieldPlan | null>(null)
  const change = (changes: Partial<FieldForm>) => {
    setForm({ ...form, ...changes })
    setPlan(null)
  }
  const submit = async () => {
    const body = changesOf(form)
    if (!field) {
      const { label = '', type = 'text', is_required = false, ...others } = body
      await create.mutateAsync({ ...others, key: form.key, label, type, is_required })
      return onClose()
    }
    const { key } = field
    if (!plan) {
      const planned = await planField(key, body)
      if (loses(planned)) return setPlan(planned)
    }
    await update.mutateAsync({ key, body, force: plan !== null })
    onClose()
  }
  return (
    <Dialog title={field ? t.editField(field.label) : t.newField} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {({ pending, errors }) => (
          <>
            <FieldFields form={form} isNew={!field} onChange={change} errors={errors} />
            {plan && <Plan plan={plan} />}
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look={plan ? 'danger' : 'primary'} isPending={pending}>
                {plan ? t.saveAllTheSame : field ? t.save : t.create}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
