import { useSession } from './session'

/** Whether the signed-in user has an ability, by name. */
export function useCan(): (ability: string) => boolean {
  const { abilities } = useSession()
  return ability => (abilities as readonly string[]).includes(ability)
}
