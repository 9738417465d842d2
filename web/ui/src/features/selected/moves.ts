import { useQueryClient } from '@tanstack/react-query'
import { api, data } from '~/api/client'
import { toast } from '~/components/toast/Toast'
import { useTrash } from '~/features/assets/asset'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { local } from '~/features/assets/Thumbnail'
import type { Selection } from '~/features/selection/selection'
import { useFormat, useTexts } from '~/text/context'
import { changedBy, goesOn, run, type Start, selectionOf, told, useOutcome, useRefresh } from './bulk'
import { texts } from './texts'

const fewest = 100 // minimum number of assets for using an operation

/** Moves assets to the trash with undo, and clears the selection: named ones, or those of an operation. */
export function useToTrash(selection: Selection) {
  const t = useTexts(texts)
  const format = useFormat()
  const outcome = useOutcome()
  const refresh = useRefresh()
  const { trash, restore } = useTrash()
  const undo = (names: () => Promise<readonly string[]>) => ({
    label: t.undo,
    run: () => void told(async () => restore(await names())),
  })
  const few = async (names: readonly string[]) => {
    await trash(names)
    toast({ text: t.trashed(format.number(names.length)), action: undo(async () => names) })
  }
  const many = async (body: Start) => {
    const operation = await run(body)
    await refresh()
    const text = await outcome(operation, t.trashed)
    if (goesOn(operation)) toast({ text })
    else toast({ text, action: undo(() => changedBy(operation.id)) })
  }
  const move = (body: Start) =>
    told(async () => {
      await many(body)
      selection.clear()
    })
  const moveNamed = (gaids: readonly string[]) =>
    gaids.length > fewest
      ? move({ type: 'bulk_delete', selection: { gaids: [...gaids] } })
      : told(async () => {
          await few(gaids)
          selection.clear()
        })
  return { moveNamed, move }
}

/** Permanently deletes the selection in the trash. */
export function useRemove(list: LoadedList, selection: Selection) {
  const t = useTexts(texts)
  const outcome = useOutcome()
  const refresh = useRefresh()
  return () =>
    told(async () => {
      const chosen = await selectionOf(list, selection)
      const operation = await run({ type: 'bulk_delete', force: true, selection: chosen })
      selection.clear()
      await refresh()
      toast({ text: await outcome(operation, t.removed) })
    })
}

/** Exports the selection as a ZIP file, and offers the download. */
export function useDownload(list: LoadedList, selection: Selection) {
  const t = useTexts(texts)
  const client = useQueryClient()
  return () =>
    told(async () => {
      const chosen = await selectionOf(list, selection)
      const operation = await run({ type: 'export', format: 'zip', selection: chosen })
      await client.invalidateQueries({ queryKey: ['operations'] })
      const url = operation.download?.url
      if (!url) return toast({ text: operation.error?.message ?? t.goesOn })
      toast({
        text: t.zipReady,
        action: { label: t.download, run: () => window.location.assign(local(url)) },
      })
    })
}

const atOnce = 1000 // assets per request

/** Removes the selection from a collection, with undo. */
export function useLeave(list: LoadedList, selection: Selection) {
  const t = useTexts(texts)
  const format = useFormat()
  const client = useQueryClient()
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: ['assets'] })
    await client.invalidateQueries({ queryKey: ['collections'] })
  }
  const back = async (collection: number, names: readonly string[]) => {
    for (let i = 0; i < names.length; i += atOnce) {
      const init = { params: { path: { collection } }, body: { gaids: names.slice(i, i + atOnce) } }
      await api.POST('/api/v1/collections/{collection}/assets', init)
    }
    await refresh()
  }
  return (collection: number) =>
    told(async () => {
      const names = await selectedGaids(list, selection)
      let removed = 0
      for (let i = 0; i < names.length; i += atOnce) {
        const init = { params: { path: { collection } }, body: { gaids: names.slice(i, i + atOnce) } }
        removed += (await data(api.DELETE('/api/v1/collections/{collection}/assets', init))).data.removed
      }
      selection.clear()
      await refresh()
      toast({
        text: t.left(format.number(removed)),
        action: { label: t.undo, run: () => void told(() => back(collection, names)) },
      })
    })
}
