import { Bookmark, Folder, FolderSearch, History, Image, Library, Tag, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { api, data } from '~/api/client'
import { queryText } from '~/features/assets/query'
import { withPicked } from '~/features/filters/narrow'
import { writeFilter } from '~/features/filters/tree'
import { useUser } from '~/features/session/session'
import { useTexts } from '~/text/context'
import { forgetSearches, recentSearches, rememberSearch } from './recent'
import { savedHref, useSavedSearches } from './saved'
import { type Suggestion, useSuggestions } from './suggestions'
import { texts } from './texts'
import type { useBox } from './useBox'

/** A suggestion of the search box. */
export interface Offer {
  id: string
  text: string
  icon: ReactNode
  count?: number
  /** Follows the suggestion; returns false to keep the box open. */
  run: () => boolean
}

export interface OfferGroup {
  id: string
  title: string
  offers: Offer[]
}

const shown = { recent: 5, recentTyped: 3, saved: 5 }
const icons = { title: <Image />, keyword: <Tag />, collection: <Folder />, saved_search: <Bookmark /> }

/** The suggestions of the search box for its text: scopes to search, matching items, and recent searches. */
export function useOffers(box: ReturnType<typeof useBox>, isOpen: boolean) {
  const t = useTexts(texts)
  const user = useUser()
  const go = useGo(box)
  const [, forgotten] = useState(0)
  const text = box.text.trim()
  const found = useSuggestions(text, isOpen)
  const saved = useSavedSearches(isOpen && text === '')
  const groups: OfferGroup[] = []
  const add = (id: string, title: string, offers: Offer[]) => {
    if (offers.length > 0) groups.push({ id, title, offers })
  }
  if (text && !box.isLibrary) add('where', t.searchIn, places(box, text, t))
  const recent = recentSearches(user.id).filter(
    q => q !== text && q.toLowerCase().startsWith(text.toLowerCase()),
  )
  const again: Offer[] = recent.slice(0, text ? shown.recentTyped : shown.recent).map(q => ({
    id: `recent:${q}`,
    text: q,
    icon: <History />,
    run: () => {
      rememberSearch(user.id, q)
      box.setText(q)
      box.go(q, box.isHere ? 'here' : 'library')
      return true
    },
  }))
  if (again.length > 0 && !text) {
    const run = () => {
      forgetSearches(user.id)
      forgotten(n => n + 1)
      return false
    }
    again.push({ id: 'forget', text: t.forget, icon: <X />, run })
  }
  add('recent', t.recent, again)
  for (const type of ['title', 'keyword', 'collection', 'saved_search'] as const) {
    const offers = found.filter(s => s.type === type).map(s => ({ ...s, ...idOf(s), run: () => go(s) }))
    add(
      type,
      t.kinds[type] ?? type,
      offers.map(o => ({ id: o.key, text: o.text, icon: icons[type], run: o.run, ...counted(o.count) })),
    )
  }
  const kept = text ? [] : (saved.data?.slice(0, shown.saved) ?? [])
  add(
    'saved',
    t.savedSearches,
    kept.map(s => ({
      id: `saved:${s.id}`,
      text: s.name,
      icon: <Bookmark />,
      run: () => go.to(savedHref(s)),
    })),
  )
  return {
    groups: isOpen ? groups : [],
    run: (id: string) =>
      groups
        .flatMap(g => g.offers)
        .find(o => o.id === id)
        ?.run() ?? false,
  }
}

const counted = (count: number | null | undefined) => (typeof count === 'number' ? { count } : {})
const idOf = (s: Suggestion) => ({ key: `${s.type}:${s.gaid ?? s.id ?? s.text}` })

/** The scopes in which a text can be searched from a page with a list. */
function places(box: ReturnType<typeof useBox>, text: string, t: (typeof texts)['en']): Offer[] {
  const isList = /\/(collections\/\d+|trash)$/.test(window.location.pathname)
  const offer = (where: 'here' | 'library', name: string, icon: ReactNode) => ({
    id: `where:${where}`,
    text: name,
    icon,
    run: () => {
      box.go(text, where)
      return true
    },
  })
  return [
    offer('library', t.searchLibrary, <Library />),
    ...(isList ? [offer('here', t.searchHere, <FolderSearch />)] : []),
  ]
}

/** Opens the item of a suggestion. */
function useGo(box: ReturnType<typeof useBox>) {
  const navigate = useNavigate()
  const to = (href: string) => {
    void navigate(href)
    return true
  }
  const showSaved = async (id: number) => {
    const params = { path: { saved_search: id } }
    to(savedHref((await data(api.GET('/api/v1/saved-searches/{saved_search}', { params }))).data))
  }
  const go = (s: Suggestion) => {
    box.setText('')
    switch (s.type) {
      case 'title':
        return to(`/assets/${s.gaid}`)
      case 'keyword':
        return to(
          `/${queryText({ filters: writeFilter(withPicked(null, 'asset.keywords', [s.text], 'in')) })}`,
        )
      case 'collection':
        return to(`/collections/${s.id}`)
    }
    void showSaved(Number(s.id))
    return true
  }
  return Object.assign(go, { to })
}
