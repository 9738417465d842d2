import { parseAbsoluteToLocal, toCalendarDate } from '@internationalized/date'
import type { Schemas } from '~/api/client'
import type { Share } from './shares'

/** The form fields of a share. */
export interface ShareForm {
  name: string
  /** Whether guests pick, rate and comment; it can be set only for a new share. */
  asksFeedback: boolean
  password: string
  dropsPassword: boolean
  /** 2026-01-31; empty for never. */
  endsOn: string
  allowsDownload: boolean
  allowsOriginal: boolean
  includesMetadata: boolean
  watermark: string
  marksLogo: boolean
  placement: Schemas['MarkPlacement']
  showsCard: boolean
  opacity: string
  longest: string
  emails: string
  domains: string
  asksEmail: boolean
  ranges: string
  maxViews: string
  maxDownloads: string
  terms: string
  asksTerms: boolean
}

const defaultOpacity = 40 // per cent

/** The day of an instant in the reader's time zone. */
export const dayOf = (instant: string) => toCalendarDate(parseAbsoluteToLocal(instant)).toString()

/** The end of a day in the reader's time zone, as an instant. */
export const endOf = (day: string) => new Date(`${day}T23:59:59`).toISOString()

/** The fields of a share, or of a new one with a name. */
export function formOf(share: Share | null, name: string): ShareForm {
  const a = share?.access
  return {
    name: share?.name ?? name,
    asksFeedback: share?.type === 'review',
    password: '',
    dropsPassword: false,
    endsOn: share?.expires_at ? dayOf(share.expires_at) : '',
    allowsDownload: share?.allow_download ?? true,
    allowsOriginal: share?.allow_original ?? false,
    includesMetadata: share?.include_metadata ?? false,
    watermark: share?.watermark?.text ?? '',
    marksLogo: share?.watermark?.logo ?? false,
    placement: share?.watermark?.placement ?? 'tiled',
    showsCard: share?.allow_preview_card ?? false,
    opacity: String(share?.watermark?.opacity ?? defaultOpacity),
    longest: String(share?.max_resolution ?? ''),
    emails: (a?.emails ?? []).join('\n'),
    domains: (a?.email_domains ?? []).join('\n'),
    asksEmail: a?.require_email ?? false,
    ranges: (a?.ip_ranges ?? []).join('\n'),
    maxViews: String(a?.max_views ?? ''),
    maxDownloads: String(a?.max_downloads ?? ''),
    terms: share?.terms_text ?? '',
    asksTerms: a?.require_terms ?? false,
  }
}

/** Whether delivered pictures have a watermark. */
export const isMarked = (f: ShareForm) => f.marksLogo || f.watermark.trim() !== ''

/** The items of a typed or pasted list. */
export const itemsOf = (text: string) => text.split(/[\s,;]+/).filter(Boolean)

/** The errors of a typed list, with the items they refer to. */
export function messagesOfItems(
  errors: Record<string, string[]>,
  name: string,
  text: string,
  say: (item: string, message: string) => string,
) {
  return Object.entries(errors).flatMap(([path, messages]) => {
    if (path === name) return messages
    if (!path.startsWith(`${name}.`)) return []
    const item = itemsOf(text)[Number(path.slice(name.length + 1))]
    return messages.map(m => (item ? say(item, m) : m))
  })
}

/** A typed number; the server refuses invalid ones. */
function numberOf(text: string): number | null {
  const typed = text.trim()
  if (typed === '') return null
  const n = Number(typed)
  return Number.isFinite(n) ? n : (typed as unknown as number)
}

/** The API body of the fields. */
export type Body = Omit<Schemas['CreateShare'], 'gaids' | 'collection_id'>

/** The API body of the fields. The password and the expiry are omitted if unchanged. */
export function bodyOf(f: ShareForm, share: Share | null): Body {
  const before = share?.expires_at ? dayOf(share.expires_at) : ''
  return {
    name: f.name,
    ...(!share && f.asksFeedback && { type: 'review' as const }),
    ...(f.dropsPassword ? { password: null } : f.password && { password: f.password }),
    ...(f.endsOn !== before && {
      expires_at: f.endsOn ? endOf(f.endsOn) : null,
    }),
    allow_download: f.allowsDownload,
    allow_original: f.allowsOriginal,
    include_metadata: f.includesMetadata,
    watermark: isMarked(f)
      ? {
          ...(f.marksLogo ? { logo: true } : { text: f.watermark }),
          placement: f.placement,
          opacity: numberOf(f.opacity) ?? defaultOpacity,
        }
      : null,
    allow_preview_card: f.showsCard,
    max_resolution: numberOf(f.longest),
    access: {
      emails: itemsOf(f.emails),
      email_domains: itemsOf(f.domains),
      ip_ranges: itemsOf(f.ranges),
      max_views: numberOf(f.maxViews),
      max_downloads: numberOf(f.maxDownloads),
      require_email: f.asksEmail,
      require_terms: f.asksTerms,
    },
    terms_text: f.terms.trim() ? f.terms : null,
  }
}
