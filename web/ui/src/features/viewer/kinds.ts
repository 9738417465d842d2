import { pagesOf } from './pages/count'
import type { Shown } from './shown'
import { technicalOf } from './technical'

/** The viewer for an asset. */
export type View = 'video' | 'audio' | 'archive' | 'pages' | 'text' | 'animation' | 'picture' | 'nothing'

/** Formats that every browser displays; others are displayed by their preview. */
export const shownByBrowsers = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']

/** The viewer for an asset, from the data available: a list contains less than the asset itself. */
export function viewOf(a: Shown): View {
  if (a.file_category === 'Video') return 'video'
  if (a.file_category === 'Audio') return 'audio'
  const known = technicalOf(a)
  if (known.archive) return 'archive'
  if (a.urls.preview && pagesOf(a) > 0) return 'pages'
  if (a.file_category === 'Document' && a.ocr_text) return 'text'
  if (!a.urls.preview) return 'nothing'
  const moves = (known.file?.frames ?? 1) > 1 && shownByBrowsers.includes(a.mime_type)
  return moves ? 'animation' : 'picture'
}

/** Whether it can be zoomed. */
export function canEnlarge(view: View): boolean {
  return view === 'pages' || view === 'animation' || view === 'picture'
}

/** Whether it can be played. */
export function canPlay(view: View): boolean {
  return view === 'video' || view === 'audio' || view === 'animation'
}

/** Whether it is read up to its edges, so that nothing may cover it. */
export function isRead(view: View): boolean {
  return view === 'pages' || view === 'text' || view === 'archive'
}
