import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { api, data } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import own from './Definitions.module.css'
import { type Term, useChangeTerms } from './definitions'
import { texts } from './texts'

const top = 'top'

/** Asks for the new parent of a term. */
export function MoveTermDialog({
  vocabulary,
  term,
  onClose,
}: {
  vocabulary: string
  term: Term
  onClose: () => void
}) {
  const t = useTexts(texts)
  const { update } = useChangeTerms(vocabulary)
  const [text, setText] = useState('')
  const [into, setInto] = useState<string | null>(null)
  const found = useQuery({
    queryKey: ['vocabularies', vocabulary, 'places', text],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const params = { path: { vocabulary }, query: { ...(text && { q: text }), per_page: 100 } }
      return (await data(api.GET('/api/v1/metadata/vocabularies/{vocabulary}/terms', { params, signal })))
        .data
    },
  })
  const items = [
    ...(text || term.parent_id === null ? [] : [{ id: top, label: t.toTop, key: '' }]),
    ...(found.data ?? []).map(x => ({ id: String(x.id), label: x.label, key: x.key })),
  ]
  return (
    <Dialog title={t.moveTitle(term.label)} isOpen onClose={onClose}>
      <Form
        onSubmit={async () => {
          if (!into) return
          const body = { parent_id: into === top ? null : Number(into) }
          await update.mutateAsync({ id: term.id, body })
          onClose()
        }}
      >
        {({ pending, errors }) => (
          <>
            <TextField label={t.findTerm} value={text} onChange={setText} autoFocus />
            {errors.parent_id && <Notice kind="danger">{errors.parent_id.join(' ')}</Notice>}
            <div className={own.places}>
              <ListBox
                aria-label={t.terms}
                selectionMode="single"
                selectedKeys={into ? [into] : []}
                onSelectionChange={keys => setInto(String([...keys][0] ?? '') || null)}
                disabledKeys={[String(term.id)]}
                items={items}
                renderEmptyState={() => (
                  <p className={own.none}>{found.isPending ? t.loading : t.noTermFound}</p>
                )}
              >
                {x => (
                  <ListBoxItem id={x.id} textValue={x.label} className={own.hit}>
                    <span className={own.name}>{x.label}</span>
                    <code className={own.key}>{x.key}</code>
                  </ListBoxItem>
                )}
              </ListBox>
            </div>
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending} isDisabled={!into}>
                {t.moveHere}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
