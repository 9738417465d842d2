import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { allPages } from '~/api/pages'

export type Field = Schemas['MetadataField']
export type FieldType = Field['type']
export type Vocabulary = Schemas['Vocabulary']
export type Term = Schemas['Term']
export type Named = Schemas['NamedItem']
export type FieldPlan = Schemas['MetadataFieldPlan']

const fieldPath = (key: string) => ({ path: { key } })

/** Mutations of custom fields. */
export function useChangeFields() {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: ['fields'] })
  return {
    create: useMutation({
      mutationFn: (body: Schemas['CreateMetadataField']) => api.POST('/api/v1/metadata/fields', { body }),
      onSuccess,
    }),
    update: useMutation({
      mutationFn: ({
        key,
        body,
        force,
      }: {
        key: string
        body: Schemas['UpdateMetadataField']
        force: boolean
      }) =>
        api.PUT('/api/v1/metadata/fields/{key}', { params: { ...fieldPath(key), query: { force } }, body }),
      onSuccess,
    }),
    move: useMutation({
      mutationFn: ({ key, after }: { key: string; after: string | null }) =>
        api.POST('/api/v1/metadata/fields/{key}/move', { params: fieldPath(key), body: { after } }),
      onSettled: onSuccess,
    }),
    remove: useMutation({
      mutationFn: (key: string) =>
        api.DELETE('/api/v1/metadata/fields/{key}', {
          params: { ...fieldPath(key), query: { force: true } },
        }),
      onSuccess,
    }),
  }
}

/** The effect of a change to a field, or of its deletion if there is no change. */
export async function planField(key: string, change?: Schemas['UpdateMetadataField']): Promise<FieldPlan> {
  const body = change ? { change } : {}
  return (await data(api.POST('/api/v1/metadata/fields/{key}/plan', { params: fieldPath(key), body }))).data
}

/** The vocabularies, sorted by name. */
export function useVocabularies() {
  return useQuery({
    queryKey: ['vocabularies', 'all'],
    queryFn: ({ signal }) =>
      allPages(page => api.GET('/api/v1/metadata/vocabularies', { params: page, signal })),
  })
}

/** Mutations of vocabularies. */
export function useChangeVocabularies() {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: ['vocabularies'] })
  const at = (key: string) => ({ path: { vocabulary: key } })
  return {
    create: useMutation({
      mutationFn: (body: Schemas['CreateVocabulary']) => api.POST('/api/v1/metadata/vocabularies', { body }),
      onSuccess,
    }),
    update: useMutation({
      mutationFn: ({ key, body }: { key: string; body: Schemas['UpdateVocabulary'] }) =>
        api.PUT('/api/v1/metadata/vocabularies/{vocabulary}', { params: at(key), body }),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (key: string) =>
        api.DELETE('/api/v1/metadata/vocabularies/{vocabulary}', { params: at(key) }),
      onSuccess,
    }),
  }
}

/** Mutations of a vocabulary's terms. */
export function useChangeTerms(vocabulary: string) {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: ['vocabularies'] })
  const at = (term: number) => ({ path: { vocabulary, term } })
  return {
    create: useMutation({
      mutationFn: (body: Schemas['CreateTerm']) =>
        api.POST('/api/v1/metadata/vocabularies/{vocabulary}/terms', {
          params: { path: { vocabulary } },
          body,
        }),
      onSuccess,
    }),
    update: useMutation({
      mutationFn: ({ id, body }: { id: number; body: Schemas['UpdateTerm'] }) =>
        api.PUT('/api/v1/metadata/vocabularies/{vocabulary}/terms/{term}', { params: at(id), body }),
      onSuccess,
    }),
    move: useMutation({
      mutationFn: ({ id, body }: { id: number; body: Schemas['TermMove'] }) =>
        api.POST('/api/v1/metadata/vocabularies/{vocabulary}/terms/{term}/move', { params: at(id), body }),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (id: number) =>
        api.DELETE('/api/v1/metadata/vocabularies/{vocabulary}/terms/{term}', { params: at(id) }),
      onSuccess,
    }),
  }
}

/** Mutations of asset classes or collection types. */
export function useChangeNamed(what: 'asset-classes' | 'collection-types') {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: [what] })
  const classes = what === 'asset-classes'
  return {
    put: useMutation({
      mutationFn: async ({ id, name }: { id: number | null; name: string }): Promise<unknown> => {
        const body = { name }
        if (id === null)
          return classes
            ? api.POST('/api/v1/asset-classes', { body })
            : api.POST('/api/v1/collection-types', { body })
        return classes
          ? api.PUT('/api/v1/asset-classes/{asset_class}', { params: { path: { asset_class: id } }, body })
          : api.PUT('/api/v1/collection-types/{collection_type}', {
              params: { path: { collection_type: id } },
              body,
            })
      },
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: async ({ id, force }: { id: number; force: boolean }): Promise<unknown> =>
        classes
          ? api.DELETE('/api/v1/asset-classes/{asset_class}', {
              params: { path: { asset_class: id }, query: { force } },
            })
          : api.DELETE('/api/v1/collection-types/{collection_type}', {
              params: { path: { collection_type: id } },
            }),
      onSuccess,
    }),
  }
}
