import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect } from 'react'
import { ApiError, api, data, onSignedOut, type Schemas } from '~/api/client'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { SignIn } from './SignIn'
import { texts } from './texts'

type User = Schemas['User']

const key = ['session'] as const
const Context = createContext<User | null>(null)

/** Who is signed in. Only for what SessionGate shows. */
export function useUser(): User {
  const user = use(Context)
  if (!user) throw new Error('nobody is signed in')
  return user
}

/** Shows its children to who is signed in, and the form to sign in to others. */
export function SessionGate({ children }: { children: ReactNode }) {
  const t = useTexts(texts)
  const client = useQueryClient()
  const user = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/user', { signal }))).data,
    retry: (count, error) => !(error instanceof ApiError && error.status === 401) && count < 3,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => onSignedOut(() => client.setQueryData(key, null)), [client])

  if (user.data) return <Context value={user.data}>{children}</Context>
  if (user.isPending) return <Busy label={t.loading} />
  if (user.error && !(user.error instanceof ApiError && user.error.status === 401)) {
    return <Notice kind="danger">{t.away}</Notice>
  }
  return <SignIn onSignedIn={() => client.invalidateQueries()} />
}

/** Ends the session, here and on the server. */
export function useSignOut() {
  const client = useQueryClient()
  return async () => {
    await api.DELETE('/api/v1/session')
    client.setQueryData(key, null)
    client.removeQueries({ predicate: q => q.queryKey[0] !== key[0] })
  }
}
