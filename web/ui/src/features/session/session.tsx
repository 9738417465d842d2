import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ApiError, api, data, onSignedOut, onTermsChanged, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import type { Language } from '~/text/catalogue'
import { useLanguage, useTexts } from '~/text/context'
import { Card } from './Card'
import { SignIn } from './SignIn'
import { SignInAgain } from './SignInAgain'
import { TermsChanged, TermsPage } from './Terms'
import { texts } from './texts'

type Session = Schemas['SessionInfo']

/** The query key of the session. */
export const sessionKey = ['session'] as const
const Context = createContext<Session | null>(null)
const SignOut = createContext<() => void>(() => {})

/** The signed-in user and their permissions. Only within SessionGate. */
export function useSession(): Session {
  const session = use(Context)
  if (!session) throw new Error('nobody is signed in')
  return session
}

/** The signed-in user. Only within SessionGate. */
export function useUser() {
  return useSession().user
}

/** Shows its children to signed-in users, and the sign-in form to others. */
export function SessionGate({ children }: { children: ReactNode }) {
  const t = useTexts(texts)
  const client = useQueryClient()
  const session = useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => (await data(api.GET('/api/v1/session', { signal }))).data,
    retry: (count, error) => !(error instanceof ApiError && error.status === 401) && count < 3,
    staleTime: 300_000,
  })
  const [ended, signedInAgain] = useInterruption(client, onSignedOut)
  const [changed, goOn] = useInterruption(client, onTermsChanged)
  const [isLeaving, setLeaving] = useState(false)
  const signOut = () => {
    signedInAgain(false)
    goOn(false)
    setLeaving(true)
  }
  useLanguageOf(session.data)

  // Open pages stay when the terms change; a user who has just signed in has none.
  const isDue = session.data ? session.data.terms_due !== null : false
  const isOpen = useRef(false)
  useEffect(() => {
    if (!isDue) isOpen.current = Boolean(session.data)
  })
  if (isLeaving) return <SigningOut onEnd={() => setLeaving(false)} />
  if (session.data && isDue && !isOpen.current) {
    return <TermsPage site={session.data} onAccepted={() => client.invalidateQueries()} onSignOut={signOut} />
  }
  if (session.data) {
    return (
      <Context value={session.data}>
        <SignOut value={signOut}>{children}</SignOut>
        {ended && <SignInAgain user={session.data.user} onSignedIn={() => signedInAgain(true)} />}
        {(changed || isDue) && !ended && <TermsChanged onAccepted={() => goOn(true)} onSignOut={signOut} />}
      </Context>
    )
  }
  if (session.isPending) return <Busy label={t.loading} />
  if (session.error && !(session.error instanceof ApiError && session.error.status === 401)) {
    return (
      <Card title={t.title}>
        <Notice kind="danger">{t.away}</Notice>
        <Button onPress={() => void session.refetch()} isPending={session.isFetching}>
          {t.again}
        </Button>
      </Card>
    )
  }
  return <SignIn onSignedIn={() => client.invalidateQueries()} />
}

/** Whether failed requests wait for the user, and a function that repeats or abandons them. */
function useInterruption(client: QueryClient, subscribe: (fn: () => Promise<boolean>) => void) {
  const [waiting, setWaiting] = useState<readonly ((again: boolean) => void)[]>([])
  useEffect(
    () =>
      subscribe(() => {
        if (!client.getQueryData(sessionKey)) return Promise.resolve(false) // nobody was signed in
        return new Promise(go => setWaiting(w => [...w, go]))
      }),
    [client, subscribe],
  )
  const goOn = (again: boolean) => {
    for (const go of waiting) go(again)
    setWaiting([])
    if (again) void client.invalidateQueries()
  }
  return [waiting.length > 0, goOn] as const
}

/** Uses the signed-in user's language for the interface. */
function useLanguageOf(session: Session | null | undefined) {
  const { choose } = useLanguage()
  const language = session?.user.language
  useEffect(() => {
    if (language !== undefined) choose(language)
  }, [language, choose])
}

/** Updates the displayed account after a change to it. */
export function useChangedAccount() {
  const client = useQueryClient()
  return (user: Schemas['Account']) => {
    client.setQueryData<Session>(sessionKey, old => old && { ...old, user })
  }
}

/** Changes the language immediately, and stores it in the account; null follows the browser. */
export function useChooseLanguage() {
  const { choose } = useLanguage()
  const changed = useChangedAccount()
  return async (language: Language | null) => {
    choose(language)
    const answer = await data(api.PUT('/api/v1/user', { body: { language } })).catch(() => null)
    if (answer) changed(answer.data)
  }
}

/** Ends the session, in the browser and on the server. */
export function useSignOut() {
  return use(SignOut)
}

/** Ends the session after everything that sends requests is unmounted, since these would be refused. */
function SigningOut({ onEnd }: { onEnd: () => void }) {
  const t = useTexts(texts)
  const client = useQueryClient()
  const end = useEffectEvent(async () => {
    await endSession(client).catch(e => toast({ text: e.message || t.away }))
    onEnd()
  })
  useEffect(() => {
    void end()
  }, [])
  return <Busy label={t.signingOut} />
}

/** Ends the session on the server and clears its cached data, unless the server cannot be reached. */
async function endSession(client: QueryClient) {
  const session = client.getQueryData(sessionKey)
  await client.cancelQueries()
  client.setQueryData(sessionKey, null)
  try {
    await api.DELETE('/api/v1/session')
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      client.setQueryData(sessionKey, session)
      throw error
    }
  }
  client.removeQueries({ predicate: q => q.queryKey[0] !== sessionKey[0] })
}
