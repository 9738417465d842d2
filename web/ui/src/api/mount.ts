const written = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="mount"]')?.content ?? ''

/** The path below which the site is, such as "/dam"; "" for one at the root of its host. */
export const mount = written.startsWith('/') ? written : '' // the development server leaves the placeholder

/** A path of dal as the browser asks for it. */
export const mounted = (path: string) => mount + path
