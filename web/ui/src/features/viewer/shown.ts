import type { Schemas } from '~/api/client'

/** The fields common to lists and assets, and optionally those of assets only. */
export type Shown = Listed & Partial<Pick<Schemas['Asset'], 'technical' | 'ocr_text'>>

type Listed = Pick<
  Schemas['AssetItem'],
  | 'gaid'
  | 'title'
  | 'extension'
  | 'mime_type'
  | 'file_category'
  | 'width'
  | 'height'
  | 'duration'
  | 'page_count'
  | 'thumbhash'
  | 'urls'
  | 'rating'
  | 'workflow_status'
  | 'processing_status'
  | 'availability'
  | 'usage_from'
  | 'usage_until'
  | 'keywords'
  | 'capture_local_time'
  | 'created_at'
  | 'deleted_at'
  | 'ingestion_batch_id'
  | 'file_size'
  | 'file_version'
>

/** Longest side in pixels of a preview, and of a large picture. */
export const previewSize = 1600
export const largeSize = 3200

/** Formats rendered at any size: their own is in points, or arbitrary. */
const drawn = ['image/svg+xml', 'application/pdf']

/** The scale of a picture relative to the asset, given its maximum longest side. */
export function scaleOf(asset: Shown, longest: number): number {
  const by = longest / Math.max(asset.width ?? 1, asset.height ?? 1)
  return drawn.includes(asset.mime_type) ? by : Math.min(1, by)
}

/** The size at which an asset is displayed, if known. */
export function lookedAt(asset: Shown): { width: number; height: number } | null {
  if (!asset.width || !asset.height) return null
  const by = drawn.includes(asset.mime_type) ? scaleOf(asset, previewSize) : 1
  return { width: asset.width * by, height: asset.height * by }
}
