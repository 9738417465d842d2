import { ApiError, type Schemas } from '~/api/client'

export type Received = Schemas['BatchFile']

/** Sends one file into a batch. `onProgress` gets the bytes that have gone out. */
export function send(
  batch: number,
  file: File,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const form = new FormData()
    form.append('file', file, file.name)
    request.open('POST', `/api/v1/upload-batches/${batch}/files`)
    request.responseType = 'json'
    request.upload.onprogress = e => onProgress(e.loaded)
    request.onerror = () => reject(new ApiError(0, ''))
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'))
    request.onload = () => {
      const body = request.response as {
        data?: Received[]
        message?: string
        errors?: Record<string, string[]>
      } | null
      const entry = body?.data?.[0]
      if (request.status === 201 && entry) return resolve(entry)
      const wait = Number(request.getResponseHeader('Retry-After') ?? Number.NaN)
      reject(
        new ApiError(
          request.status,
          body?.message ?? request.statusText,
          body?.errors,
          Number.isFinite(wait) ? wait : null,
        ),
      )
    }
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}
