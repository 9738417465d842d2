import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api, data } from '~/api/client'
import { Button, IconButton } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { type AssetQuery, queryText } from '~/features/assets/query'
import { useTexts } from '~/text/context'
import css from './SavedSearches.module.css'
import { texts } from './texts'

const key = ['saved-searches'] as const

/** The searches that one has kept, to go to, and the present one to keep. */
export function SavedSearches({ query }: { query: AssetQuery }) {
  const t = useTexts(texts)
  const client = useQueryClient()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const [name, setName] = useState('')
  const onSuccess = () => client.invalidateQueries({ queryKey: key })
  const saved = useQuery({
    queryKey: key,
    enabled: open,
    queryFn: async ({ signal }) =>
      (await data(api.GET('/api/v1/saved-searches', { params: { query: { per_page: 100 } }, signal }))).data,
  })
  const save = useMutation({
    mutationFn: () => {
      const { filters, sort_by, ...rest } = query
      const sort = sort_by === 'position' || !sort_by ? {} : { sort_by }
      const body = { name, query: { ...rest, ...sort, ...(filters && { filters: JSON.parse(filters) }) } }
      return data(api.POST('/api/v1/saved-searches', { body }))
    },
    onSuccess,
  })
  const remove = useMutation({
    mutationFn: (id: number) =>
      api.DELETE('/api/v1/saved-searches/{saved_search}', { params: { path: { saved_search: id } } }),
    onSuccess,
  })
  const searching = Boolean(query.q || query.filters)
  return (
    <>
      <IconButton label={t.savedSearches} onPress={() => setOpen(true)}>
        <Bookmark />
      </IconButton>
      <Dialog title={t.savedSearches} isOpen={open} onClose={() => setOpen(false)}>
        {saved.data?.length === 0 && <p>{t.noneSaved}</p>}
        <ul className={css.list}>
          {saved.data?.map(s => (
            <li key={s.id} className={css.item}>
              <Button
                look="quiet"
                className={css.name}
                onPress={() => {
                  const { filters, ...rest } = s.query
                  const words = Object.entries({
                    ...rest,
                    ...(filters && { filters: JSON.stringify(filters) }),
                  })
                  setOpen(false)
                  void navigate(
                    `/${queryText(Object.fromEntries(words.filter(([, v]) => typeof v === 'string')))}`,
                  )
                }}
              >
                {s.name}
              </Button>
              <IconButton label={`${t.remove} ${s.name}`} onPress={() => remove.mutate(s.id)}>
                <Trash2 />
              </IconButton>
            </li>
          ))}
        </ul>
        {searching && (
          <Form
            onSubmit={async () => {
              await save.mutateAsync()
              setName('')
            }}
          >
            {({ pending, errors }) => (
              <>
                <TextField
                  label={t.saveAs}
                  value={name}
                  onChange={setName}
                  isRequired
                  errors={Object.values(errors).flat()}
                />
                <DialogButtons>
                  <Button type="submit" look="primary" isPending={pending}>
                    {t.save}
                  </Button>
                </DialogButtons>
              </>
            )}
          </Form>
        )}
      </Dialog>
    </>
  )
}
