import createClient, { type Middleware } from 'openapi-fetch'
import { mount } from './mount'
import type { components, paths } from './schema'

export type Schemas = components['schemas']

/** An answer of the interface that is not a success. */
export class ApiError extends Error {
  constructor(
    /** 0 when the server could not be reached. */
    readonly status: number,
    message: string,
    /** What is wrong with each field, by its path. */
    readonly fields: Record<string, string[]> = {},
    /** Seconds to wait before the next try. */
    readonly retryAfter: number | null = null,
    /** What is missing, where the interface has a name for it. */
    readonly code: string = '',
  ) {
    super(message)
    this.name = 'ApiError'
  }
}

/** What an answer finds wrong with one field, its parts included. */
export function messagesAt(fields: ApiError['fields'], name: string): string[] {
  return Object.entries(fields).flatMap(([path, messages]) =>
    path === name || path.startsWith(`${name}.`) ? messages : [],
  )
}

/**
 * A message as it is shown beside its field, which has a label: "max_views must be at least 1." and
 * "max_views must be at least 1." are both "Must be at least 1."
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
    // A proxy's page; the status says enough.
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
/** Sets what asks a person to sign in again when the session has ended. It tells whether that was done. */
export function onSignedOut(fn: () => Promise<boolean>) {
  signInAgain = fn
}

let acceptTerms = async () => false
/** Sets what asks a person to accept the terms of use when they have changed. It tells whether that was done. */
export function onTermsChanged(fn: () => Promise<boolean>) {
  acceptTerms = fn
}

/** Requests with a body, which can be read once, as they were before they were sent. */
const copies = new WeakMap<Request, Request>()

const failures: Middleware = {
  onRequest({ request }) {
    if (request.body) copies.set(request, request.clone())
    return undefined
  },
  async onResponse({ request, response }) {
    let answer = response
    // What was asked in vain is asked again, so that nothing that was typed is lost.
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

/** The interface, typed by its own description. A failure throws an ApiError. */
export const api = createClient<paths>({
  baseUrl: mount,
  credentials: 'same-origin',
  querySerializer: { array: { style: 'form', explode: false } },
})
api.use(failures)

/** The data of an answer that has some. */
export async function data<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer
  if (data === undefined) throw new ApiError(0, 'The answer is empty.')
  return data
}
