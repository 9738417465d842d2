import type { DetailedError, Upload as Tus } from 'tus-js-client'
import { ApiError } from '~/api/client'
import { mounted } from '~/api/mount'
import type { Received } from './upload'

/** Bytes per request: below the limits of proxies, including Cloudflare's 100 MB. */
const chunk = 64 << 20
/** Files up to this size are sent with the request that creates the upload. */
const small = 8 << 20

const at = (batch: number) => mounted(`/api/v1/upload-batches/${batch}`)

/** The tus client, loaded with the first large file. */
async function client() {
  const { DefaultHttpStack, Upload } = await import('tus-js-client')
  /** Sends requests to the origin of the page, even if a proxy makes the server report another one. */
  class SameOrigin extends DefaultHttpStack {
    constructor() {
      super({})
    }
    override createRequest(method: string, url: string) {
      return super.createRequest(method, new URL(url, window.location.href).pathname)
    }
  }
  return { Upload, httpStack: new SameOrigin() }
}

interface Sending {
  signal: AbortSignal
  /** Called with the number of bytes sent. */
  onProgress: (sent: number) => void
}

/** Sends one file in chunks, resuming the upload at `url` if there is one. */
export async function sendInPieces(
  batch: number,
  file: File,
  url: string | null,
  { signal, onProgress, onURL }: Sending & { onURL: (url: string) => void },
): Promise<Received> {
  const { Upload, httpStack } = await client()
  return await new Promise((resolve, reject) => {
    const aborted = () => reject(new DOMException('aborted', 'AbortError'))
    const tus: Tus = new Upload(file, {
      endpoint: `${at(batch)}/tus/`,
      uploadUrl: url,
      httpStack,
      chunkSize: chunk,
      retryDelays: null, // the caller retries
      storeFingerprintForResuming: false,
      uploadDataDuringCreation: file.size <= small,
      metadata: { filename: file.name, filetype: file.type },
      onUploadUrlAvailable: () => tus.url && onURL(tus.url),
      onProgress: sent => onProgress(sent),
      onSuccess: ({ lastResponse }) => {
        const id = Number(lastResponse.getHeader('DAL-File'))
        if (id > 0) resolve({ id, status: 'queued', gaid: null, error: null, warning: null })
        else reject(new ApiError(0, ''))
      },
      onError: e => reject(failure(e)),
    })
    signal.addEventListener('abort', () => void tus.abort().finally(aborted), { once: true })
    if (signal.aborted) aborted()
    else tus.start()
  })
}

function failure(e: Error | DetailedError): ApiError {
  const answer = 'originalResponse' in e ? e.originalResponse : null
  if (!answer) return new ApiError(0, '')
  return refusal(answer.getStatus(), answer.getBody(), answer.getHeader('Retry-After') ?? null)
}

function refusal(status: number, text: string, retryAfter: string | null): ApiError {
  let body: { message?: string; errors?: Record<string, string[]> } = {}
  try {
    body = JSON.parse(text) as typeof body
  } catch {
    // The page of a proxy; the status is sufficient.
  }
  const wait = Number(retryAfter ?? Number.NaN)
  return new ApiError(status, body.message ?? '', body.errors, Number.isFinite(wait) ? wait : null)
}

/** Deletes an unfinished upload. */
export async function forgetPieces(url: string) {
  try {
    const { Upload, httpStack } = await client()
    await Upload.terminate(url, { httpStack, retryDelays: null })
  } catch {
    // It expires by itself.
  }
}

/** Sends several files in one request; either all of them arrive, or none. */
export async function sendTogether(
  batch: number,
  files: readonly File[],
  sending: Sending,
): Promise<Received[]> {
  return await sendForm(`${at(batch)}/files`, files, sending)
}

/** Sends a multipart form, and returns the data of the answer. */
export function sendForm<T>(
  url: string,
  files: readonly File[],
  { signal, onProgress }: Sending,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const form = new FormData()
    for (const file of files) form.append('file', file, file.name)
    request.open('POST', url)
    request.upload.onprogress = e => onProgress(e.loaded)
    request.onerror = () => reject(new ApiError(0, ''))
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'))
    request.onload = () => {
      if (request.status === 201) {
        resolve((JSON.parse(request.responseText) as { data: T }).data)
      } else {
        reject(refusal(request.status, request.responseText, request.getResponseHeader('Retry-After')))
      }
    }
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}
