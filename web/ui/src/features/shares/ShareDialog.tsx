import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import { MainFields, MoreFields } from './Fields'
import { type Body, bodyOf, formOf } from './form'
import { HandInFields } from './HandInFields'
import { handInBody, handInOf } from './handIn'
import { LinkOf } from './LinkDialog'
import css from './Shares.module.css'
import { type Share, useChangeShares } from './shares'
import { texts } from './texts'

/** The content of a new share. */
export interface Shown {
  title: string
  /** The suggested name. */
  name: string
  help?: string
  /** Whether guests upload files instead of viewing assets. */
  asks?: boolean
  what: () => Promise<Pick<Schemas['CreateShare'], 'type' | 'gaids' | 'collection_id'>>
}

/** Creates a share and shows its link. */
export default function NewShareDialog({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const t = useTexts(texts)
  const { create } = useChangeShares()
  const [made, setMade] = useState<Share | null>(null)
  const make = async (body: Body) => {
    setMade(await create.mutateAsync({ ...body, ...(await shown.what()) }))
  }
  // One dialog for both, so that the focus returns to the button that opened it.
  return (
    <Dialog title={made ? t.linkTitle : shown.title} isOpen onClose={onClose}>
      {made ? (
        <LinkOf share={made} onClose={onClose} />
      ) : (
        <>
          {shown.help && <p>{shown.help}</p>}
          <ShareFields
            name={shown.name}
            share={null}
            asks={shown.asks ?? false}
            action={t.create}
            onSave={make}
            onClose={onClose}
          />
        </>
      )}
    </Dialog>
  )
}

/** Changes a share. */
export function EditShareDialog({ share, onClose }: { share: Share; onClose: () => void }) {
  const t = useTexts(texts)
  const { update } = useChangeShares()
  const save = async (body: Body) => {
    const saved = await update.mutateAsync({ id: share.id, body })
    toast({ text: t.saved(saved.name) })
    onClose()
  }
  return (
    <Dialog title={t.editNamed(share.name)} isOpen onClose={onClose}>
      {share.collection_id !== null && share.type !== 'upload' && <p>{t.collectionHelp}</p>}
      <ShareFields
        name={share.name}
        share={share}
        asks={share.type === 'upload'}
        action={t.save}
        onSave={save}
        onClose={onClose}
      />
    </Dialog>
  )
}

interface ShareFieldsProps {
  name: string
  share: Share | null
  asks: boolean
  action: string
  onSave: (body: Body) => Promise<void>
  onClose: () => void
}

function ShareFields({ name, share, asks, action, onSave, onClose }: ShareFieldsProps) {
  const t = useTexts(texts)
  const [form, setForm] = useState(() => formOf(share, name))
  const set = (part: Partial<typeof form>) => setForm(old => ({ ...old, ...part }))
  const [handIn, setHandIn] = useState(() => handInOf(share))
  return (
    <Form onSubmit={() => onSave(asks ? handInBody(form, handIn, share) : bodyOf(form, share))}>
      {({ pending, errors }) => (
        <Wrong errors={errors}>
          <MainFields
            form={form}
            set={set}
            errors={errors}
            isNew={!share}
            hasPassword={share?.has_password ?? false}
            asks={asks}
          />
          {asks && (
            <HandInFields
              form={handIn}
              set={part => setHandIn(old => ({ ...old, ...part }))}
              errors={errors}
            />
          )}
          <MoreFields form={form} set={set} errors={errors} asks={asks} />
          <DialogButtons>
            <Button onPress={onClose}>{t.cancel}</Button>
            <Button type="submit" look="primary" isPending={pending}>
              {action}
            </Button>
          </DialogButtons>
        </Wrong>
      )}
    </Form>
  )
}

const placed =
  /^(name|password|expires_at|allow_original|watermark|max_resolution|allow_preview_card|access|terms_text|upload\.(max_|extensions))(\.|$)/
const mostSaid = 3

/** The fields; if the server refuses some, the first of them is scrolled into view. */
function Wrong({ errors, children }: { errors: Record<string, string[]>; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (Object.keys(errors).length === 0) return
    const first = box.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')
    first?.focus()
    first?.scrollIntoView({ block: 'nearest' })
  }, [errors])
  const elsewhere = Object.entries(errors).flatMap(([path, messages]) => (placed.test(path) ? [] : messages))
  return (
    <div ref={box} className={css.fields}>
      {elsewhere.length > 0 && <Notice kind="danger">{elsewhere.slice(0, mostSaid).join(' ')}</Notice>}
      {children}
    </div>
  )
}
