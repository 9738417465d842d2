import type { Shown } from '../shown'

/** Kinds whose pages the server draws one by one. */
const drawn = ['application/pdf', 'image/tiff']

/** How many pages of an asset can be looked at; 0 for what is looked at as a whole. */
export function pagesOf({ mime_type, page_count }: Pick<Shown, 'mime_type' | 'page_count'>): number {
  if (!page_count || !drawn.includes(mime_type)) return 0
  return mime_type === 'application/pdf' || page_count > 1 ? page_count : 0
}
