import { useQueryClient } from '@tanstack/react-query'
import { ApiError, api, data, type Schemas } from '~/api/client'
import { toast } from '~/components/toast/Toast'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { namedAssets } from '~/features/assets/named'
import type { Selection } from '~/features/selection/selection'
import { useFormat, useTexts } from '~/text/context'
import { texts } from './texts'
import { type Step, stepsBack } from './undo'

export type Start = Schemas['StartOperation']
export type Changes = Schemas['BulkChanges']
export type Operation = Schemas['Operation']
export type Preview = Schemas['OperationPreview']

/** Filters that match every asset. */
const everything = JSON.stringify({ type: 'group', operator: 'and', rules: [] })

/** Filters that match only a collection's assets, combined with other filters. */
function inCollection(id: number, filters: string | undefined) {
  const rule = { type: 'filter', field: 'asset.collections', operator: 'in', value: [id] }
  return JSON.stringify({
    type: 'group',
    operator: 'and',
    rules: filters ? [rule, JSON.parse(filters)] : [rule],
  })
}

/** The maximum number of assets that an operation accepts by GAID. */
const maxNamed = 100_000

/**
 * The selection of an operation: the selected GAIDs, or the query of the list. Operations match a text more strictly
 * than the list, so the result of a search is selected by GAID unless it is too long.
 */
export async function selectionOf(list: LoadedList, selection: Selection): Promise<Start['selection']> {
  if (selection.named) return { gaids: [...selection.named] }
  const { place, query } = list.source
  const byQuery = place === 'library' || place === 'trash' || typeof place === 'number'
  const searches = query.q || query.filters?.includes('"hybrid_search"')
  const shown = searches && list.total <= maxNamed
  if (!byQuery || shown || selection.except.length > 0) {
    const except = new Set(selection.except)
    return { gaids: (await list.gaids(0, list.total - 1)).filter(g => !except.has(g)) }
  }
  // Operations match words only by default, but the displayed assets may be semantic matches.
  const text = query.q ? { q: query.q, meaning: !query.meaning } : {}
  if (typeof place === 'number') return { ...text, filters: inCollection(place, query.filters) }
  const filters = query.filters ?? everything
  return { ...text, filters, ...(place === 'trash' && { trashed: 'only' }) }
}

/** Previews an operation without changing anything. */
export async function preview(body: Start): Promise<Preview> {
  const answer = await data(
    api.POST('/api/v1/operations', {
      params: { query: { dry_run: true }, header: { 'Idempotency-Key': crypto.randomUUID() } },
      body,
    }),
  )
  return (answer as { data: Preview }).data
}

const looks = [60, 120, 250, 500, 1000, 2000, 4000] // milliseconds before each poll of a running operation

/** Whether an operation is still running. */
export function goesOn(o: Operation) {
  return o.finished_at === null
}

/** Starts an operation, and waits some seconds for it to end. */
export async function run(body: Start): Promise<Operation> {
  const header = { 'Idempotency-Key': crypto.randomUUID() }
  const answer = await data(api.POST('/api/v1/operations', { params: { header }, body }))
  let operation = (answer as { data: Operation }).data
  for (const wait of looks) {
    if (!goesOn(operation)) break
    await new Promise(done => setTimeout(done, wait))
    const path = { operation: operation.id }
    operation = (await data(api.GET('/api/v1/operations/{operation}', { params: { path } }))).data
  }
  return operation
}

/** The assets that an operation has processed, and the first error if any failed. */
async function itemsOf(id: number, state: Schemas['ItemState'], page: number) {
  const params = { path: { operation: id }, query: { state, page, per_page: 100 } }
  return await data(api.GET('/api/v1/operations/{operation}/items', { params }))
}

/** The GAIDs of all assets that an operation has changed. */
export async function changedBy(id: number): Promise<string[]> {
  const names: string[] = []
  for (let page = 1, last = 1; page <= last; page++) {
    const answer = await itemsOf(id, 'done', page)
    last = answer.meta.last_page
    names.push(...answer.data.map(i => i.gaid))
  }
  return names
}

/** The message about an operation: the number of changed assets, and of failed ones with the reason. */
export function useOutcome() {
  const t = useTexts(texts)
  const format = useFormat()
  return async (operation: Operation, changed: (n: string) => string) => {
    const { failed, unchanged } = operation.progress
    const done = operation.progress.done - unchanged
    if (goesOn(operation)) return t.goesOn
    if (operation.error) return operation.error.message
    const parts = done > 0 || failed === 0 ? [changed(format.number(done))] : []
    if (failed > 0) {
      const first = (await itemsOf(operation.id, 'failed', 1)).data[0]
      parts.push(t.failed(format.number(failed), first?.error?.message ?? ''))
    }
    return parts.join(' ')
  }
}

/** Runs fn, and shows the API error if it fails. */
export async function told(fn: () => Promise<unknown>): Promise<boolean> {
  try {
    await fn()
    return true
  } catch (e) {
    if (!(e instanceof ApiError)) throw e
    toast({ text: Object.values(e.fields).flat()[0] ?? e.message })
    return false
  }
}

/** Reloads everything that shows assets. */
export function useRefresh() {
  const client = useQueryClient()
  return () => Promise.all(['assets', 'asset'].map(key => client.invalidateQueries({ queryKey: [key] })))
}

const mostBack = 500 // maximum number of assets for undo

/** Applies a change to the selection and reports the result, with undo. */
export function useApply(list: LoadedList, selection: Selection) {
  const t = useTexts(texts)
  const client = useQueryClient()
  const outcome = useOutcome()
  const refresh = useRefresh()
  const takeBack = (steps: readonly Step[]) =>
    told(async () => {
      for (const s of steps) {
        await run({ type: 'bulk_update', selection: { gaids: s.gaids }, changes: s.changes })
      }
      await refresh()
      toast({ text: t.undone })
    })
  return async (chosen: Start['selection'], changes: Changes) => {
    const few = selection.count(list.total) <= mostBack
    const back = few
      ? stepsBack(await namedAssets(client, await selectedGaids(list, selection)), changes)
      : null
    const operation = await run({ type: 'bulk_update', selection: chosen, changes })
    await refresh()
    toast({
      text: await outcome(operation, t.changed),
      ...(back &&
        operation.progress.done > 0 && { action: { label: t.undo, run: () => void takeBack(back) } }),
    })
  }
}

/** Runs AI analysis on the selection. */
export function useAnalysis(list: LoadedList, selection: Selection) {
  const t = useTexts(texts)
  const outcome = useOutcome()
  const refresh = useRefresh()
  return (task: 'ocr' | 'tags' | 'caption') =>
    told(async () => {
      const chosen = await selectionOf(list, selection)
      const operation = await run({ type: 'ai_analysis', selection: chosen, tasks: [task] })
      await refresh()
      toast({ text: await outcome(operation, t.analysed) })
    })
}

/** Applies a change to the selection immediately. */
export function useChange(list: LoadedList, selection: Selection) {
  const apply = useApply(list, selection)
  return (changes: Changes) => told(async () => apply(await selectionOf(list, selection), changes))
}
