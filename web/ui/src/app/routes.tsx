import type { RouteObject } from 'react-router'

/** A page that is loaded on demand. */
function page(load: () => Promise<{ default: React.ComponentType }>) {
  return async () => ({ Component: (await load()).default })
}

const library = page(() => import('~/pages/library/LibraryPage'))
const collection = page(() => import('~/pages/collections/CollectionPage'))
const opened: RouteObject[] = [{ path: 'assets/:gaid', element: null }]

/** The pages. People share their paths, so these must not change. */
export const routes: RouteObject[] = [
  { path: '/', lazy: library, children: opened },
  {
    path: '/collections',
    lazy: page(() => import('~/pages/collections/CollectionsLayout')),
    children: [
      { index: true, lazy: page(() => import('~/pages/collections/CollectionsPage')) },
      { path: ':collection', lazy: collection, children: opened },
    ],
  },
  {
    path: '/assets/:similar/similar',
    lazy: page(() => import('~/pages/similar/SimilarPage')),
    children: opened,
  },
  { path: '/folders', lazy: page(() => import('~/pages/folders/FoldersPage')) },
  { path: '/duplicates', lazy: page(() => import('~/pages/duplicates/DuplicatesPage')) },
  { path: '/shares/*', lazy: page(() => import('~/pages/shares/SharesPage')) },
  { path: '/analytics', lazy: page(() => import('~/pages/analytics/AnalyticsPage')) },
  { path: '/trash', lazy: page(() => import('~/pages/trash/TrashPage')), children: opened },
  { path: '/operations', lazy: page(() => import('~/pages/operations/OperationsPage')) },
  { path: '/operations/:operation', lazy: page(() => import('~/pages/operations/OperationPage')) },
  { path: '/account', lazy: page(() => import('~/pages/account/AccountPage')) },
  { path: '/admin/*', lazy: page(() => import('~/pages/admin/AdminPage')) },
]

/** The pages for visitors who are not signed in; the last part of their paths is a secret. */
export const publicRoutes: RouteObject[] = [
  { path: '/setup/:token', lazy: page(() => import('~/pages/door/SetUpPage')) },
  { path: '/invitation/:token', lazy: page(() => import('~/pages/door/InvitationPage')) },
]
