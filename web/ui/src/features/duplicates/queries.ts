import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api, data } from '~/api/client'
import { toast } from '~/components/toast/Toast'
import { useTrash } from '~/features/assets/asset'
import { done } from '~/features/triage/undo'
import { useFormat, useTexts } from '~/text/context'
import { bestFirst, type Group } from './best'
import { texts } from './texts'

const key = ['duplicates'] as const
const perPage = 20

/** Identifies a group by its assets. */
export function groupKey(g: Group): string {
  return g.assets.map(a => a.gaid).join(' ')
}

async function getPage(page: number, signal: AbortSignal) {
  const query = { page, per_page: perPage }
  const answer = await data(api.GET('/api/v1/duplicates', { params: { query }, signal }))
  return { ...answer, data: answer.data.map(bestFirst) }
}

type Page = Awaited<ReturnType<typeof getPage>>

/** The groups of near duplicates in the library, page by page. */
export function useDuplicates() {
  return useInfiniteQuery({
    queryKey: key,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) => getPage(pageParam, signal),
    getNextPageParam: last =>
      last.meta.current_page < last.meta.last_page ? last.meta.current_page + 1 : undefined,
  })
}

/** Merges groups: the kept asset takes over metadata from the others, which go to the trash and can be restored. */
export function useMerge() {
  const t = useTexts(texts)
  const format = useFormat()
  const client = useQueryClient()
  const { restore } = useTrash()
  const refresh = () => {
    void client.invalidateQueries({ queryKey: ['assets'] })
    void client.invalidateQueries({ queryKey: ['asset'] })
  }
  return async (group: Group, kept: string, others: readonly string[]) => {
    try {
      await api.POST('/api/v1/assets/{gaid}/merge', {
        params: { path: { gaid: kept } },
        body: { gaids: [...others] },
      })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
      return false
    }
    // The group is removed immediately; reloading all groups would move those below.
    client.setQueryData<InfiniteData<Page>>(key, old => old && { ...old, pages: without(old.pages, group) })
    refresh()
    const title = group.assets.find(a => a.gaid === kept)?.title ?? kept
    done(t.merged(title, format.number(others.length)), t.undo, () => {
      void restore(others)
        .then(() => client.invalidateQueries({ queryKey: key }))
        .catch((e: Error) => toast({ text: e.message }))
    })
    return true
  }
}

function without(pages: Page[], group: Group): Page[] {
  return pages.map(p => {
    const rest = p.data.filter(g => groupKey(g) !== groupKey(group))
    return rest.length === p.data.length ? p : { ...p, data: rest }
  })
}
