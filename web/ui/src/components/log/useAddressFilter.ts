import { useSearchParams } from 'react-router'

/**
 * A filter in the page's URL, with functions to change it: all changes except of the page return to the first page.
 */
export function useAddressFilter<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams()
  const filter: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = params.get(name)
    if (value) filter[name] = value
  }
  const set = (changes: Partial<Record<Name, string>>) =>
    setParams(
      old => {
        if (!('page' in changes)) old.delete('page')
        for (const [name, value] of Object.entries<string | undefined>(changes)) {
          if (value) old.set(name, value)
          else old.delete(name)
        }
        return old
      },
      { replace: true },
    )
  return { filter, set, clear: () => setParams({}, { replace: true }) }
}

/** The instants at which the days of a filter start and end in the local time zone; the last day is included. */
export function between({ from, to }: { from?: string; to?: string }): { from?: string; to?: string } {
  return { ...(from && { from: startOf(from) }), ...(to && { to: startOf(to, 1) }) }
}

function startOf(day: string, days = 0): string {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + days)
  return at.toISOString()
}
