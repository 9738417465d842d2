const written = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="mount"]')?.content ?? ''

/** The path prefix of the site, such as "/dam"; "" for a site at the root of its host. */
export const mount = written.startsWith('/') ? written : '' // the development server leaves the placeholder

/** The path of a dal URL as seen by the browser. */
export const mounted = (path: string) => mount + path
