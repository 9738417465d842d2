const most = 10

const keyOf = (user: number) => `dal.searches.${user}`

/** What a person searched for last on this device, the latest first. */
export function recentSearches(user: number): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(keyOf(user)) ?? '[]')
    return Array.isArray(list) ? list.filter(q => typeof q === 'string').slice(0, most) : []
  } catch {
    return []
  }
}

/** Keeps a search; the same one in another case takes the place of the old. */
export function rememberSearch(user: number, text: string) {
  const q = text.trim()
  if (!q) return
  const others = recentSearches(user).filter(old => old.toLowerCase() !== q.toLowerCase())
  try {
    localStorage.setItem(keyOf(user), JSON.stringify([q, ...others].slice(0, most)))
  } catch {
    // A browser that keeps nothing is no reason to fail.
  }
}

export function forgetSearches(user: number) {
  localStorage.removeItem(keyOf(user))
}
