import createClient, { type Middleware } from 'openapi-fetch'
import { mount } from './mount'
import type { components, paths } from './schema'

export type Schemas = components['schemas']

/** An error answer of the API. */
export class ApiError extends Error {
  constructor(
    /** 0 if the server could not be reached. */
    readonly status: number,
    message: string,
    /** Error messages by field path. */
    readonly fields: Record<string, string[]> = {},
    /** Seconds to wait before the next try. */
    readonly retryAfter: number | null = null,
    /** The error code; '' if the API has none. */
    readonly code: string = '',
  ) {
    super(message)
    this.name = 'ApiError'
  }
}

/** The messages for a field and its parts. */
export function messagesAt(fields: ApiError['fields'], name: string): string[] {
  return Object.entries(fields).flatMap(([path, messages]) =>
    path === name || path.startsWith(`${name}.`) ? messages : [],
  )
}

/**
 * A message as displayed beside its labeled field: both "max_views must be at least 1." and "The max_views field must
 * be at least 1." become "Must be at least 1."
 */
export function besideField(message: string): string {
  const [, rest] =
    /^(?:The [\w. ]+ field|[a-z][\w.]*) ((?:must|may|is|has|was|cannot|occurs) .*)$/s.exec(message) ?? []
  if (!rest) return message
  return rest === 'is required.' ? 'Required.' : rest.charAt(0).toUpperCase() + rest.slice(1)
}

async function failure(response: Response): Promise<ApiError> {
  let message = ''
  let fields: Record<string, string[]> = {}
  let code = ''
  try {
    const body = (await response.json()) as {
      message?: string
      errors?: Record<string, string[]>
      code?: string
    }
    message = body.message ?? ''
    fields = Object.fromEntries(
      Object.entries(body.errors ?? {}).map(([path, messages]) => [path, messages.map(besideField)]),
    )
    code = body.code ?? ''
  } catch {
    // The page of a proxy; the status is sufficient.
  }
  const wait = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return new ApiError(
    response.status,
    message || response.statusText,
    fields,
    Number.isFinite(wait) ? wait : null,
    code,
  )
}

let signInAgain = async () => false
/**
 * Sets the function that asks the user to sign in again when the session has ended. It resolves to whether they did.
 */
export function onSignedOut(fn: () => Promise<boolean>) {
  signInAgain = fn
}

let acceptTerms = async () => false
/** Sets the function that asks the user to accept changed terms of use. It resolves to whether they did. */
export function onTermsChanged(fn: () => Promise<boolean>) {
  acceptTerms = fn
}

/** Copies of requests with a body, which can be read only once. */
const copies = new WeakMap<Request, Request>()

const failures: Middleware = {
  onRequest({ request }) {
    if (request.body) copies.set(request, request.clone())
    return undefined
  },
  async onResponse({ request, response }) {
    let answer = response
    // The failed request is repeated, so that nothing the user typed is lost.
    const again = () => fetch(copies.get(request)?.clone() ?? new Request(request))
    if (answer.status === 401 && (await signInAgain())) answer = await again()
    if (answer.ok || answer.status === 304) return answer
    let failed = await failure(answer)
    if (failed.code === 'terms_not_accepted' && (await acceptTerms())) {
      answer = await again()
      if (answer.ok || answer.status === 304) return answer
      failed = await failure(answer)
    }
    throw failed
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    return new ApiError(0, error instanceof Error ? error.message : String(error))
  },
}

/** The API client, typed by the OpenAPI description. A failure throws an ApiError. */
export const api = createClient<paths>({
  baseUrl: mount,
  credentials: 'same-origin',
  querySerializer: { array: { style: 'form', explode: false } },
})
api.use(failures)

/** The data of a successful answer. */
export async function data<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer
  if (data === undefined) throw new ApiError(0, 'The answer is empty.')
  return data
}
