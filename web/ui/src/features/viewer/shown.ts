import type { Schemas } from '~/api/client'

/** What a list and a single asset both tell. */
export type Shown = Pick<
  Schemas['AssetItem'],
  | 'gaid'
  | 'title'
  | 'extension'
  | 'mime_type'
  | 'file_category'
  | 'width'
  | 'height'
  | 'duration'
  | 'thumbhash'
  | 'urls'
  | 'rating'
  | 'workflow_status'
  | 'processing_status'
  | 'keywords'
  | 'capture_date'
  | 'created_at'
  | 'deleted_at'
  | 'ingestion_batch_id'
  | 'file_size'
>
