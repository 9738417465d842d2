import { useQueryClient } from '@tanstack/react-query'
import { api, data } from '~/api/client'

const atOnce = 1000 // assets per request

/** Adds assets to a collection and removes them; affected data is reloaded. */
export function useMembership() {
  const client = useQueryClient()
  const refresh = () =>
    Promise.all(
      ['collections', 'assets', 'asset'].map(kind => client.invalidateQueries({ queryKey: [kind] })),
    )
  return {
    /** Returns the number of assets added. */
    addTo: async (collection: number, gaids: readonly string[]) => {
      let added = 0
      for (let i = 0; i < gaids.length; i += atOnce) {
        const answer = await data(
          api.POST('/api/v1/collections/{collection}/assets', {
            params: { path: { collection } },
            body: { gaids: gaids.slice(i, i + atOnce) },
          }),
        )
        added += answer.data.added
      }
      await refresh()
      return added
    },
    removeFrom: async (collection: number, gaids: readonly string[]) => {
      for (let i = 0; i < gaids.length; i += atOnce) {
        await api.DELETE('/api/v1/collections/{collection}/assets', {
          params: { path: { collection } },
          body: { gaids: gaids.slice(i, i + atOnce) },
        })
      }
      await refresh()
    },
  }
}
