import { useFormat, useTexts } from '~/text/context'
import { texts as handInTexts } from './handInTexts'
import css from './Shares.module.css'
import { type Share, stateOf } from './shares'
import { texts } from './texts'

/** The state of a share, and its expiry. */
export function State({ share: s }: { share: Share }) {
  const t = useTexts(texts)
  const format = useFormat()
  const state = stateOf(s)
  const ended = state === 'revoked' ? s.revoked_at : state === 'expired' ? s.expires_at : null
  return (
    <>
      <span className={`${css.badge} ${css[state] ?? ''}`}>{t.states[state]}</span>
      {ended && <span>{t.endedAt(format.time(ended))}</span>}
      {!ended && s.expires_at && <span>{t.endsAt(format.time(s.expires_at))}</span>}
    </>
  )
}

/** The content of a share, in short. */
export function useContent() {
  const t = useTexts(texts)
  const th = useTexts(handInTexts)
  const format = useFormat()
  return (s: Share) => {
    if (s.type === 'embed') return s.gaids.length === 0 ? t.videoGone : t.video
    if (s.type === 'upload') return s.collection_id === null ? t.collectionGone : th.takes
    if (s.collection_id !== null) return t.collection
    if (s.type === 'collection') return t.collectionGone
    return s.gaids.length === 0 ? t.noAssets : format.plural(s.gaids.length, t.oneAsset, t.assets)
  }
}

/** The usage counts of a share, with their limits. */
export function useCounts() {
  const t = useTexts(texts)
  const th = useTexts(handInTexts)
  const format = useFormat()
  return (s: Share) => {
    const { max_views: views, max_downloads: downloads } = s.access
    if (s.type === 'embed') {
      return { views: format.plural(s.view_count, t.oneEmbedView, t.embedViews), downloads: null }
    }
    return {
      views: views
        ? t.viewsOf(format.number(s.view_count), format.number(views))
        : format.plural(s.view_count, t.oneView, t.views),
      downloads: s.handed_in
        ? format.plural(s.handed_in.files, th.oneFile, th.files)
        : downloads
          ? t.downloadsOf(format.number(s.download_count), format.number(downloads))
          : format.plural(s.download_count, t.oneDownload, t.downloads),
    }
  }
}

/** The email address entered by a guest, and whether it is unverified. */
export function GuestEmail({ email, isVerified }: { email: string | null; isVerified: boolean }) {
  const t = useTexts(texts)
  if (!email) return null
  return (
    <>
      {email} {!isVerified && <span className={css.soft}>({t.notVerified})</span>}
    </>
  )
}
