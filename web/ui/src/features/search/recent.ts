const most = 10

const keyOf = (user: number) => `dal.searches.${user}`

/** The user's recent searches on this device, newest first. */
export function recentSearches(user: number): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(keyOf(user)) ?? '[]')
    return Array.isArray(list) ? list.filter(q => typeof q === 'string').slice(0, most) : []
  } catch {
    return []
  }
}

/** Stores a search; it replaces the same one in another case. */
export function rememberSearch(user: number, text: string) {
  const q = text.trim()
  if (!q) return
  const others = recentSearches(user).filter(old => old.toLowerCase() !== q.toLowerCase())
  try {
    localStorage.setItem(keyOf(user), JSON.stringify([q, ...others].slice(0, most)))
  } catch {
    // Browsers may not allow storage.
  }
}

export function forgetSearches(user: number) {
  localStorage.removeItem(keyOf(user))
}
