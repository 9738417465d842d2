import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { RouterProvider as AriaRouter, I18nProvider } from 'react-aria-components'
import { createBrowserRouter, Outlet, useHref, useNavigate } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { ApiError } from '~/api/client'
import { LiveProvider } from '~/api/live'
import { mount } from '~/api/mount'
import { Queries } from '~/api/queries'
import { Toasts } from '~/components/toast/Toast'
import { KeysHelp } from '~/features/keys/KeysHelp'
import { SessionGate, useSession } from '~/features/session/session'
import { UploadProvider } from '~/features/upload/context'
import { DropZone } from '~/features/upload/DropZone'
import { Tray } from '~/features/upload/Tray'
import { LanguageProvider, useLanguage } from '~/text/context'
import { Broken } from './Broken'
import { publicRoutes, routes } from './routes'
import { Shell } from './Shell'

const client = new Queries({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) =>
        (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) && count < 2,
    },
  },
})

/** Lets the links of react-aria use the router. */
function Linked({ children }: { children: ReactNode }) {
  const navigate = useNavigate()
  return (
    <AriaRouter navigate={(to, options) => void navigate(to, options)} useHref={useHref}>
      {children}
    </AriaRouter>
  )
}

/** Follows all changes since the session was read. */
function Live({ children }: { children: ReactNode }) {
  const { last_event_id } = useSession()
  return <LiveProvider after={last_event_id}>{children}</LiveProvider>
}

function Frame() {
  return (
    <Linked>
      <SessionGate>
        <Live>
          <UploadProvider>
            <DropZone>
              <Shell>
                <Outlet />
              </Shell>
              <Tray />
            </DropZone>
          </UploadProvider>
        </Live>
      </SessionGate>
      <KeysHelp />
      <Toasts />
    </Linked>
  )
}

/** The frame of the pages for visitors who are not signed in. */
function Door() {
  return (
    <Linked>
      <Outlet />
    </Linked>
  )
}

const shared = {
  errorElement: <Broken />,
  hydrateFallbackElement: <></>, // the first page's code loads within milliseconds
}
const router = createBrowserRouter(
  [
    { ...shared, element: <Frame />, children: routes },
    { ...shared, element: <Door />, children: publicRoutes },
  ],
  { basename: mount || '/' },
)

function Localised() {
  const { locale } = useLanguage()
  return (
    <I18nProvider locale={locale}>
      <RouterProvider router={router} />
    </I18nProvider>
  )
}

export function App() {
  return (
    <QueryClientProvider client={client}>
      <LanguageProvider>
        <Localised />
      </LanguageProvider>
    </QueryClientProvider>
  )
}
