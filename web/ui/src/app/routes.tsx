import type { RouteObject } from 'react-router'

/** A page that is loaded when it is first opened. */
function page(load: () => Promise<{ default: React.ComponentType }>) {
  return async () => ({ Component: (await load()).default })
}

/** The pages; their paths are part of what people share, and stay. */
export const routes: RouteObject[] = [
  { index: true, lazy: page(() => import('~/pages/library/LibraryPage')) },
  { path: 'assets/:gaid', lazy: page(() => import('~/pages/library/LibraryPage')) },
]
