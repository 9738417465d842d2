import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider as AriaRouter, I18nProvider } from 'react-aria-components'
import { createBrowserRouter, Outlet, useHref, useNavigate } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { ApiError } from '~/api/client'
import { LiveProvider } from '~/api/live'
import { Toasts } from '~/components/toast/Toast'
import { KeysHelp } from '~/features/keys/KeysHelp'
import { SessionGate } from '~/features/session/session'
import { UploadProvider } from '~/features/upload/context'
import { DropZone } from '~/features/upload/DropZone'
import { Tray } from '~/features/upload/Tray'
import { LanguageProvider, useLanguage } from '~/text/context'
import { Broken } from './Broken'
import { routes } from './routes'
import { Shell } from './Shell'

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) =>
        (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) && count < 2,
    },
  },
})

/** Links of react-aria go through the router. */
function Frame() {
  const navigate = useNavigate()
  return (
    <AriaRouter navigate={(to, options) => void navigate(to, options)} useHref={useHref}>
      <SessionGate>
        <LiveProvider>
          <UploadProvider>
            <DropZone>
              <Shell>
                <Outlet />
              </Shell>
              <Tray />
            </DropZone>
          </UploadProvider>
        </LiveProvider>
      </SessionGate>
      <KeysHelp />
      <Toasts />
    </AriaRouter>
  )
}

const router = createBrowserRouter([
  {
    element: <Frame />,
    errorElement: <Broken />,
    hydrateFallbackElement: <></>, // the first page's code is a few milliseconds away
    children: routes,
  },
])

function Localised() {
  const { language } = useLanguage()
  return (
    <I18nProvider locale={language}>
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
