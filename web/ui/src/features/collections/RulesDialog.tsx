import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { ApiError, api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { Builder } from '~/features/filters/Builder'
import { type Group, isComplete, newGroup, readFilter, writeFilter } from '~/features/filters/tree'
import { useFormat, useTexts } from '~/text/context'
import { type CollectionDetail, useChangeCollections, useCollection } from './collections'
import css from './RulesDialog.module.css'
import { texts } from './texts'

/** The rules of a smart collection, with the number of matching assets. */
export default function RulesDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const t = useTexts(texts)
  const { data: collection, error } = useCollection(id)
  return (
    <Dialog title={t.rulesTitle(collection?.name ?? '')} isOpen onClose={onClose} wide>
      {error && <Notice kind="danger">{error.message}</Notice>}
      {!collection && !error && <Busy label={t.loading} />}
      {collection && <RulesForm collection={collection} onClose={onClose} />}
    </Dialog>
  )
}

function RulesForm({ collection, onClose }: { collection: CollectionDetail; onClose: () => void }) {
  const t = useTexts(texts)
  const { update } = useChangeCollections()
  const [group, setGroup] = useState<Group>(
    () => readFilter(collection.rules ? JSON.stringify(collection.rules) : undefined) ?? newGroup(false),
  )
  const text = writeFilter(group)
  const save = async (rules: Schemas['UpdateCollection']['rules']) => {
    await update.mutateAsync({ id: collection.id, body: { rules } })
    onClose()
  }
  const { count, errors } = useMatches(isComplete(group) ? text : '')
  return (
    <Form onSubmit={() => save(text ? JSON.parse(text) : null)}>
      {({ pending, errors: refused }) => (
        <>
          <p className={css.help}>{t.rulesHelp}</p>
          {refused.rules && <Notice kind="danger">{refused.rules.join(' ')}</Notice>}
          <Builder value={group} onChange={setGroup} errors={{ ...errors, ...asFilters(refused) }} />
          <div className={css.foot}>
            <span role="status" className={css.count}>
              {!text ? t.noRules : isComplete(group) ? count : t.unfinished}
            </span>
            <DialogButtons>
              {collection.rules && (
                <Button look="quiet" onPress={() => void save(null)}>
                  {t.removeRules}
                </Button>
              )}
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending} isDisabled={!text}>
                {t.save}
              </Button>
            </DialogButtons>
          </div>
        </>
      )}
    </Form>
  )
}

/** Converts the error paths of a collection's rules to those of filters, which the builder uses. */
function asFilters(errors: Record<string, string[]>) {
  return Object.fromEntries(Object.entries(errors).map(([k, v]) => [k.replace(/^rules/, 'filters'), v]))
}

/** The number of assets that match a filter document, as a text, or its errors. */
function useMatches(text: string): { count: string; errors: Record<string, string[]> } {
  const t = useTexts(texts)
  const format = useFormat()
  const filters = useDeferredValue(text)
  const found = useQuery({
    queryKey: ['assets', 'count', filters],
    enabled: filters !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      await new Promise(done => setTimeout(done, 250)) // the user is still typing
      signal.throwIfAborted()
      const query = { filters, exact: true, per_page: 1 } // like the evaluation of rules
      return (await data(api.GET('/api/v1/assets', { params: { query }, signal }))).meta.total
    },
  })
  if (!text) return { count: '', errors: {} }
  if (found.error) {
    const fields = found.error instanceof ApiError ? found.error.fields : {}
    return { count: found.error.message, errors: fields }
  }
  return {
    count: found.data === undefined ? t.counting : format.plural(found.data, t.oneMatches, t.otherMatch),
    errors: {},
  }
}
