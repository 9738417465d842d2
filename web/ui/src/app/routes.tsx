import type { RouteObject } from 'react-router'

/** A page that is loaded when it is first opened. */
function page(load: () => Promise<{ default: React.ComponentType }>) {
  return async () => ({ Component: (await load()).default })
}

const library = page(() => import('~/pages/library/LibraryPage'))

/** The pages; their paths are part of what people share, and stay. */
export const routes: RouteObject[] = [
  { path: '/', lazy: library, children: [{ path: 'assets/:gaid', element: null }] },
]
