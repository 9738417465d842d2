import type { Shown } from '../shown'

/** Formats whose pages the server renders individually. */
const drawn = ['application/pdf', 'image/tiff']

/** The number of an asset's pages that can be viewed; 0 if it is viewed as a whole. */
export function pagesOf({ mime_type, page_count }: Pick<Shown, 'mime_type' | 'page_count'>): number {
  if (!page_count || !drawn.includes(mime_type)) return 0
  return mime_type === 'application/pdf' || page_count > 1 ? page_count : 0
}
