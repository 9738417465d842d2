import createClient, { type Middleware } from 'openapi-fetch'
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
  ) {
    super(message)
    this.name = 'ApiError'
  }
}

async function failure(response: Response): Promise<ApiError> {
  let message = ''
  let fields: Record<string, string[]> = {}
  try {
    const body = (await response.json()) as { message?: string; errors?: Record<string, string[]> }
    message = body.message ?? ''
    fields = body.errors ?? {}
  } catch {
    // A proxy's page; the status says enough.
  }
  const wait = Number(response.headers.get('Retry-After') ?? Number.NaN)
  return new ApiError(
    response.status,
    message || response.statusText,
    fields,
    Number.isFinite(wait) ? wait : null,
  )
}

/** Called when a request finds the session gone. */
let signedOut = () => {}
export function onSignedOut(fn: () => void) {
  signedOut = fn
}

const failures: Middleware = {
  async onResponse({ response, schemaPath }) {
    if (response.ok || response.status === 304) return undefined
    if (response.status === 401 && schemaPath !== '/api/v1/session') signedOut()
    throw await failure(response)
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    return new ApiError(0, error instanceof Error ? error.message : String(error))
  },
}

/** The interface, typed by its own description. A failure throws an ApiError. */
export const api = createClient<paths>({
  baseUrl: '',
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
