import type { Schemas } from '~/api/client'
import type { Language } from '~/text/catalogue'
import { catalogue } from '~/text/catalogue'
import type { formats } from '~/text/format'

const texts = catalogue(
  {
    upright: 'portrait format',
    across: 'landscape format',
    square: 'square',
    taken: (date: string) => `taken on ${date}`,
    added: (date: string) => `added on ${date}`,
    stars: (n: number) => (n === 1 ? '1 star' : `${n} stars`),
  },
  {
    de: {
      upright: 'Hochformat',
      across: 'Querformat',
      square: 'quadratisch',
      taken: (date: string) => `aufgenommen am ${date}`,
      added: (date: string) => `hinzugefügt am ${date}`,
      stars: (n: number) => (n === 1 ? '1 Stern' : `${n} Sterne`),
    },
  },
)

type Described = Pick<
  Schemas['AssetItem'],
  'title' | 'width' | 'height' | 'capture_local_time' | 'created_at' | 'rating'
>

/** The alternative text of a picture: its title, shape and date. */
export function altText(a: Described, format: ReturnType<typeof formats>, language: Language): string {
  const t = texts[language]
  const parts = [a.title]
  if (a.width && a.height) {
    const ratio = a.width / a.height
    parts.push(ratio > 1.05 ? t.across : ratio < 0.95 ? t.upright : t.square)
  }
  const taken = a.capture_local_time
  parts.push(taken ? t.taken(format.localDay(taken)) : t.added(format.day(a.created_at)))
  if (a.rating) parts.push(t.stars(a.rating))
  return parts.join(', ')
}
