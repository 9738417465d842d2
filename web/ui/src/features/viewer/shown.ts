import type { Schemas } from '~/api/client'

/** What a list and a single asset both tell, and what only the asset itself tells. */
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

/** Pixels of the longest side of a preview, and of a large picture. */
export const previewSize = 1600
export const largeSize = 3200

/** What is drawn in any size: its own is in points, or made up. */
const drawn = ['image/svg+xml', 'application/pdf']

/** By how much a picture differs from the asset in size if its longest side is so long, at most. */
export function scaleOf(asset: Shown, longest: number): number {
  const by = longest / Math.max(asset.width ?? 1, asset.height ?? 1)
  return drawn.includes(asset.mime_type) ? by : Math.min(1, by)
}

/** The size in which an asset is looked at, if it is known. */
export function lookedAt(asset: Shown): { width: number; height: number } | null {
  if (!asset.width || !asset.height) return null
  const by = drawn.includes(asset.mime_type) ? scaleOf(asset, previewSize) : 1
  return { width: asset.width * by, height: asset.height * by }
}
