import { useCan } from '~/features/session/rights'
import { useSession } from '~/features/session/session'
import type { CollectionDetail } from './collections'

/** What the one who is signed in may do with collections. */
export function useRights() {
  const { user } = useSession()
  const can = useCan()
  return {
    mayChange: can('collections:write'),
    mayDelete: can('collections:delete'),
    /** Only its maker and admins choose who views a collection. */
    mayRestrict: (c: CollectionDetail | null) =>
      c === null || user.role === 'admin' || c.created_by?.id === user.id,
  }
}
