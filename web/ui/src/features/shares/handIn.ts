import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, data, type Schemas } from '~/api/client'
import { useCan } from '~/features/session/rights'
import { type Body, bodyOf, itemsOf, type ShareForm } from './form'
import { type Share, useMayShare } from './shares'

export type ShareFile = Schemas['ShareFile']
export type Category = Schemas['FileCategory']

/** The fields for guest uploads. */
export interface HandInForm {
  maxFiles: string
  maxFile: string
  maxTotal: string
  categories: readonly Category[]
  extensions: string
}

export const categories: readonly Category[] = ['Image', 'Video', 'Audio', 'Document']

const megabyte = 1_000_000
const defaultFiles = 100
const defaultTotal = 10_000 // MB

/** Whether the signed-in user may request guest uploads. */
export function useMayAsk() {
  const can = useCan()
  const mayShare = useMayShare()
  return mayShare && ['uploads:manage', 'collections:write'].every(can)
}

/** The fields of a share, or of a new one. */
export function handInOf(share: Share | null): HandInForm {
  const u = share?.upload
  return {
    maxFiles: String(u?.max_files ?? defaultFiles),
    maxFile: u?.max_file_size ? String(u.max_file_size / megabyte) : '',
    maxTotal: String(u?.max_total_size ? u.max_total_size / megabyte : defaultTotal),
    categories: u?.categories ?? [],
    extensions: (u?.extensions ?? []).join(', '),
  }
}

/** A typed number; the server refuses invalid ones. */
function numberOf(text: string, unit: number): number | undefined {
  const typed = text.trim().replace(',', '.')
  if (typed === '') return undefined
  const n = Number(typed)
  return Number.isFinite(n) ? Math.round(n * unit) : (typed as unknown as number)
}

/** The API body of a share for guest uploads. */
export function handInBody(f: ShareForm, h: HandInForm, share: Share | null): Body {
  const { name, password, expires_at, access, terms_text } = bodyOf(f, share)
  return {
    name,
    ...(password !== undefined && { password }),
    ...(expires_at !== undefined && { expires_at }),
    ...(access && { access: { ...access, max_downloads: null } }),
    ...(terms_text !== undefined && { terms_text }),
    upload: {
      max_files: numberOf(h.maxFiles, 1) ?? defaultFiles,
      max_total_size: numberOf(h.maxTotal, megabyte) ?? defaultTotal * megabyte,
      max_file_size: numberOf(h.maxFile, megabyte) ?? null,
      categories: [...h.categories],
      extensions: itemsOf(h.extensions),
    },
  }
}

/** A page of the guest uploads, newest first. */
export function useHandedIn(id: number, page: number) {
  return useQuery({
    queryKey: ['shares', 'files', id, page],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) =>
      data(
        api.GET('/api/v1/shares/{share}/files', {
          params: { path: { share: id }, query: { page, per_page: 25 } },
          signal,
        }),
      ),
  })
}
