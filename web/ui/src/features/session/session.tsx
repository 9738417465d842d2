import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect } from 'react'
import { ApiError, api, data, onSignedOut, type Schemas } from '~/api/client'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { useTexts } from '~/text/context'
import { SignIn } from './SignIn'
import { texts } from './texts'

type Session = Schemas['SessionInfo']

const key = ['session'] as const
const Context = createContext<Session | null>(null)

/** Who is signed in, and what they may. Only for what SessionGate shows. */
export function useSession(): Session {
  const session = use(Context)
  if (!session) throw new Error('nobody is signed in')
  return session
}

/** Who is signed in. Only for what SessionGate shows. */
export function useUser() {
  return useSession().user
}

/** Shows its children to who is signed in, and the form to sign in to others. */
export function SessionGate({ children }: { children: ReactNode }) {
  const t = useTexts(texts)
  const client = useQueryClient()
  const session = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/session', { signal }))).data,
    retry: (count, error) => !(error instanceof ApiError && error.status === 401) && count < 3,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => onSignedOut(() => client.setQueryData(key, null)), [client])

  if (session.data) return <Context value={session.data}>{children}</Context>
  if (session.isPending) return <Busy label={t.loading} />
  if (session.error && !(session.error instanceof ApiError && session.error.status === 401)) {
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
