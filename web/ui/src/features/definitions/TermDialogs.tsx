import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { Switch } from '~/components/field/Switch'
import { TextField } from '~/components/field/TextField'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import { type Term, useChangeTerms } from './definitions'
import { keyOf } from './form'
import { MoveTermDialog } from './MoveTermDialog'
import { texts } from './texts'

export type TermDoing =
  | { what: 'create'; below: Term | null }
  | { what: 'edit' | 'move' | 'remove'; term: Term }

interface TermDialogsProps {
  vocabulary: string
  doing: TermDoing | null
  onClose: () => void
}

/** The open dialog for a term. */
export function TermDialogs({ vocabulary, doing, onClose }: TermDialogsProps) {
  const t = useTexts(texts)
  const { remove } = useChangeTerms(vocabulary)
  if (!doing) return null
  switch (doing.what) {
    case 'create':
      return <TermDialog vocabulary={vocabulary} term={null} below={doing.below} onClose={onClose} />
    case 'edit':
      return <TermDialog vocabulary={vocabulary} term={doing.term} below={null} onClose={onClose} />
    case 'move':
      return <MoveTermDialog vocabulary={vocabulary} term={doing.term} onClose={onClose} />
    case 'remove':
      return (
        <ConfirmDialog
          title={t.removeTerm(doing.term.label)}
          action={t.remove}
          onClose={onClose}
          onConfirm={async () => {
            await remove.mutateAsync(doing.term.id)
            toast({ text: t.removed(doing.term.label) })
          }}
        >
          <p>{t.removeTermHelp}</p>
        </ConfirmDialog>
      )
  }
}

interface TermDialogProps {
  vocabulary: string
  term: Term | null
  below: Term | null
  onClose: () => void
}

function TermDialog({ vocabulary, term, below, onClose }: TermDialogProps) {
  const t = useTexts(texts)
  const { create, update } = useChangeTerms(vocabulary)
  const [label, setLabel] = useState(term?.label ?? '')
  const [key, setKey] = useState(term?.key ?? '')
  const [active, setActive] = useState(term?.is_active ?? true)
  const submit = async () => {
    if (term) await update.mutateAsync({ id: term.id, body: { label, is_active: active } })
    else await create.mutateAsync({ key, label, parent_id: below?.id ?? null })
    onClose()
  }
  const title = term ? t.editTerm(term.label) : below ? t.newTermBelow(below.label) : t.newTerm
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        {({ pending, errors }) => (
          <>
            <TextField
              label={t.label}
              help={t.termLabelHelp}
              value={label}
              onChange={to => {
                if (key === keyOf(label, '-')) setKey(keyOf(to, '-'))
                setLabel(to)
              }}
              isRequired
              autoFocus
              errors={[...(errors.label ?? []), ...(errors.parent_id ?? [])]}
            />
            {!term && (
              <TextField
                label={t.key}
                help={t.keyHelp}
                value={key}
                onChange={setKey}
                isRequired
                errors={errors.key ?? []}
              />
            )}
            {term && <Switch label={t.active} help={t.activeHelp} value={active} onChange={setActive} />}
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending}>
                {term ? t.save : t.create}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
