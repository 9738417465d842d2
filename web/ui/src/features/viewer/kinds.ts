import { pagesOf } from './pages/count'
import type { Shown } from './shown'
import { technicalOf } from './technical'

/** How an asset is looked at. */
export type View = 'video' | 'audio' | 'archive' | 'pages' | 'text' | 'animation' | 'picture' | 'nothing'

/** Kinds that every browser shows; others are shown by their preview only. */
export const shownByBrowsers = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']

/** How an asset is looked at, as far as is known of it: a list tells less than the asset itself. */
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

/** Whether one can look closer. */
export function canEnlarge(view: View): boolean {
  return view === 'pages' || view === 'animation' || view === 'picture'
}

/** Whether it plays. */
export function canPlay(view: View): boolean {
  return view === 'video' || view === 'audio' || view === 'animation'
}

/** Whether one reads it from edge to edge, so that nothing may lie on it. */
export function isRead(view: View): boolean {
  return view === 'pages' || view === 'text' || view === 'archive'
}
