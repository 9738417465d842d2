import { useSession } from './session'

/** Whether the one who is signed in may do something, by the name of its ability. */
export function useCan(): (ability: string) => boolean {
  const { abilities } = useSession()
  return ability => (abilities as readonly string[]).includes(ability)
}
