import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useEffectEvent, useState } from 'react'
import { api, data, type Schemas } from './client'
import { type LiveEvents, type LiveType, Stream } from './stream'

const Context = createContext<Stream | null>(null)

/** Calls fn with live events of a type. `reset` lists the types to reload because events were missed. */
export function useLive<T extends LiveType>(type: T, fn: (event: LiveEvents[T]) => void) {
  const stream = use(Context)
  const latest = useEffectEvent(fn)
  useEffect(() => stream?.on(type, e => latest(e)), [stream, type])
}

/** Follows live changes after an event and keeps data that was read since up to date, for signed-in users. */
export function LiveProvider({ after, children }: { after: number; children: ReactNode }) {
  const client = useQueryClient()
  const [stream] = useState(
    // Any request detects whether the session has ended.
    () => new Stream(after, () => void api.GET('/api/v1/session').catch(() => {})),
  )
  useEffect(() => {
    const kept = keep(client, stream)
    stream.start()
    return () => {
      stream.stop()
      kept()
    }
  }, [client, stream])
  return <Context value={stream}>{children}</Context>
}

const everyMS = 2000 // minimum interval for reloading lists
const gatherMS = 300 // assets that change together are loaded together
const oneByOne = 20 // above this number, the lists are reloaded

/** Query keys that depend on events of a type. */
const dependent: Partial<Record<Schemas['StreamType'], readonly string[]>> = {
  asset: ['assets', 'asset', 'outline', 'facets', 'keywords-of'],
  collection: ['collections'],
  operation: ['operations'],
  batch: ['batches'],
}

/** Invalidates the cached data that events concern; returns a function that stops it. */
function keep(client: QueryClient, stream: Stream) {
  const stale = throttled(everyMS, (keys: QueryKey[]) => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey })
  })
  const ending = new AbortController()
  const changed = throttled(gatherMS, (gaids: string[]) => {
    if (gaids.length > oneByOne) stale.add(['assets'], ['asset'], ['keywords-of'])
    else for (const gaid of gaids) void readAgain(client, gaid, ending.signal)
  })
  const ends = [
    stream.on('asset', e => {
      if (e.type === 'asset.deleted') changed.drop(e.gaid)
      if (e.type !== 'asset.updated') {
        stale.add(['assets'], ['asset', e.gaid], ['outline'], ['facets'])
      } else if (knownVersion(client, e.gaid) < e.version) {
        changed.add(e.gaid)
      }
    }),
    stream.on('collection', e => stale.add(['collections'], ['assets', e.id])),
    stream.on('reset', e => stale.add(...e.types.flatMap(t => dependent[t] ?? []).map(k => [k]))),
    stale.stop,
    changed.stop,
    () => ending.abort(),
  ]
  return () => {
    for (const end of ends) end()
  }
}

/** Collects distinct items and passes them to fn: immediately, and then at most every ms milliseconds. */
function throttled<T>(ms: number, fn: (all: T[]) => void) {
  const waiting = new Map<string, T>()
  let timer = 0
  const run = () => {
    timer = 0
    if (waiting.size === 0) return
    const all = [...waiting.values()]
    waiting.clear()
    fn(all)
    timer = window.setTimeout(run, ms)
  }
  return {
    add: (...items: T[]) => {
      for (const i of items) waiting.set(JSON.stringify(i), i)
      timer ||= window.setTimeout(run, gatherMS)
    },
    /** Removes an item that was not passed on yet. */
    drop: (item: T) => waiting.delete(JSON.stringify(item)),
    stop: () => window.clearTimeout(timer),
  }
}

interface Versioned {
  gaid: string
  version: number
}
type Page = { data?: Versioned[] } | undefined

/** The cached version of an asset; if none is cached, one beyond all versions, so that no event is newer. */
function knownVersion(client: QueryClient, gaid: string): number {
  const found = client.getQueryData<Versioned>(['asset', gaid])?.version
  const listed = client
    .getQueriesData<Page>({ queryKey: ['assets'] })
    .flatMap(([, page]) => (Array.isArray(page?.data) ? page.data.filter(a => a.gaid === gaid) : []))
    .map(a => a.version)
  return Math.min(...listed, found ?? Number.POSITIVE_INFINITY)
}

/** Reloads one asset, even from the trash, and updates it everywhere. */
async function readAgain(client: QueryClient, gaid: string, signal: AbortSignal) {
  const params = { path: { gaid }, query: { trashed: 'with' } } as const
  const answer = await data(api.GET('/api/v1/assets/{gaid}', { params, signal })).catch(() => null)
  if (signal.aborted) return
  if (!answer) return client.invalidateQueries({ queryKey: ['assets'] })
  const asset = answer.data
  client.setQueryData(['asset', gaid], (old: unknown) => (old ? asset : undefined))
  client.setQueriesData<Page>({ queryKey: ['assets'] }, page =>
    Array.isArray(page?.data) && page.data.some(a => a.gaid === gaid)
      ? { ...page, data: page.data.map(a => (a.gaid === gaid ? { ...a, ...asset } : a)) }
      : page,
  )
  void client.invalidateQueries({ queryKey: ['keywords-of'] })
}
