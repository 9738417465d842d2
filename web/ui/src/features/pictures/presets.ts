import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { allPages } from '~/api/pages'

export type Preset = Schemas['Preset']

/** The presets, sorted by name. */
export function usePresets() {
  return useQuery({
    queryKey: ['presets'],
    queryFn: ({ signal }) => allPages(page => api.GET('/api/v1/presets', { params: page, signal })),
    staleTime: 300_000, // milliseconds
  })
}

/** Mutations of presets. */
export function useChangePresets() {
  const client = useQueryClient()
  const onSuccess = () => client.invalidateQueries({ queryKey: ['presets'] })
  return {
    put: useMutation({
      mutationFn: async ({
        id,
        body,
      }: {
        id: number | null
        body: Schemas['PresetChanges']
      }): Promise<unknown> =>
        id === null
          ? api.POST('/api/v1/presets', { body })
          : api.PUT('/api/v1/presets/{preset}', { params: { path: { preset: id } }, body }),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (id: number) =>
        api.DELETE('/api/v1/presets/{preset}', { params: { path: { preset: id } } }),
      onSuccess,
    }),
  }
}

/** The public URL of a picture. */
export async function pictureURL(gaid: string, preset: string): Promise<string> {
  const answer = await data(api.POST('/api/v1/image-urls', { body: { images: [{ gaid, preset }] } }))
  return answer.data[0]?.url ?? ''
}

/** The public URL of the IIIF manifest of a picture or a document. */
export async function manifestURL(gaid: string): Promise<string> {
  const answer = await data(api.POST('/api/v1/iiif-urls', { body: { images: [{ gaid }] } }))
  return answer.data[0]?.manifest_url ?? ''
}
