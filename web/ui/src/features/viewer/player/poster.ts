import { useQueryClient } from '@tanstack/react-query'
import { ApiError, api } from '~/api/client'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import type { Shown } from '../shown'
import { texts } from './texts'

const quality = 0.92

/** Sets the current frame of a video as the asset's poster, with undo. */
export function usePoster(asset: Shown) {
  const t = useTexts(texts)
  const client = useQueryClient()
  const params = { path: { gaid: asset.gaid } }
  const attempt = async (fn: () => Promise<unknown>) => {
    try {
      await fn()
      for (const queryKey of [['asset', asset.gaid], ['assets']]) void client.invalidateQueries({ queryKey })
      return true
    } catch (e) {
      toast({ text: e instanceof ApiError ? e.message : t.noFrame })
      return false
    }
  }
  const remove = () => attempt(() => api.DELETE('/api/v1/assets/{gaid}/poster', { params }))
  const put = async (body: Blob) =>
    api.PUT('/api/v1/assets/{gaid}/poster', {
      params,
      body: body as unknown as string, // the OpenAPI types have no type for bytes
      bodySerializer: b => b,
      headers: { 'Content-Type': body.type },
    })
  return async (video: HTMLVideoElement) => {
    if (await attempt(async () => put(await frameOf(video))))
      toast({ text: t.posterSet, action: { label: t.undo, run: () => void remove() } })
  }
}

/** The current frame of a video as a JPEG. */
async function frameOf(video: HTMLVideoElement): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  const blob = await new Promise<Blob | null>(done => canvas.toBlob(done, 'image/jpeg', quality))
  if (!blob) throw new Error('the browser draws no such picture')
  return blob
}
