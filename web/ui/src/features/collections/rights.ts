import { useCan } from '~/features/session/rights'
import { useSession } from '~/features/session/session'
import type { CollectionDetail } from './collections'

/** The signed-in user's permissions for collections. */
export function useRights() {
  const { user } = useSession()
  const can = useCan()
  return {
    mayChange: can('collections:write'),
    mayDelete: can('collections:delete'),
    /** Only its creator and administrators choose its viewers. */
    mayRestrict: (c: CollectionDetail | null) =>
      c === null || user.role === 'admin' || c.created_by?.id === user.id,
  }
}
