import { useQueryClient } from '@tanstack/react-query'
import { ApiError, type Schemas } from '~/api/client'
import { toast } from '~/components/toast/Toast'
import { type AssetChanges, changeAsset, eachAsset, useTrash } from '~/features/assets/asset'
import { useFormat, useTexts } from '~/text/context'
import { texts } from './texts'
import { done } from './undo'

/** The fields of an asset needed for changing it and for undo. */
export type Target = Pick<Schemas['AssetItem'], 'gaid' | 'title' | 'rating' | 'workflow_status' | 'keywords'>
export type Status = Schemas['WorkflowStatus']

/** The maximum number of assets that keys change at a time; the toolbar's actions accept any number. */
export const most = 100

/** Immediate changes with undo. */
export function useTriage() {
  const t = useTexts(texts)
  const format = useFormat()
  const client = useQueryClient()
  const { trash, restore } = useTrash()

  const name = (targets: readonly Target[]) =>
    targets.length === 1 && targets[0] ? targets[0].title : format.plural(targets.length, t.one, t.other)
  const attempt = async (fn: () => Promise<unknown>) => {
    try {
      await fn()
      return true
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
      return false
    }
  }
  /** Makes a change that depends on the asset; `before` undoes it. */
  const change = async (
    targets: readonly Target[],
    text: string,
    to: (a: Target) => AssetChanges,
    before: (a: Target) => AssetChanges,
  ) => {
    const put = (changes: (a: Target) => AssetChanges) => () =>
      eachAsset(targets, a => changeAsset(client, a.gaid, changes(a)))
    if (await attempt(put(to))) done(text, t.undo, () => void attempt(put(before)))
  }

  return {
    rate: (targets: readonly Target[], rating: number) =>
      change(
        targets,
        rating ? t.rated(name(targets), rating) : t.unrated(name(targets)),
        () => ({ rating: rating || null }),
        a => ({ rating: a.rating }),
      ),
    setStatus: (targets: readonly Target[], status: Status) =>
      change(
        targets,
        t.statusSet(name(targets), t.statuses[status]),
        () => ({ workflow_status: status }),
        a => ({ workflow_status: a.workflow_status }),
      ),
    addKeywords: (targets: readonly Target[], words: readonly string[]) =>
      change(
        targets,
        t.keyworded(name(targets), format.list([...words])),
        a => ({ keywords: withWords(a.keywords, words) }),
        a => ({ keywords: a.keywords }),
      ),
    toTrash: async (targets: readonly Target[]) => {
      const gaids = targets.map(a => a.gaid)
      if (await attempt(() => trash(gaids)))
        done(t.trashed(name(targets)), t.undo, () => void attempt(() => restore(gaids)))
    },
  }
}

/** The keywords with new ones added, ignoring case. */
function withWords(there: readonly string[], words: readonly string[]): string[] {
  const known = new Set(there.map(w => w.toLowerCase()))
  return [...there, ...words.filter(w => !known.has(w.toLowerCase()))]
}
