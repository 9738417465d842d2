import { ChevronLeft, ChevronRight } from 'lucide-react'
import { catalogue } from '~/text/catalogue'
import { useFormat, useTexts } from '~/text/context'
import { IconButton } from '../button/Button'
import css from './Pager.module.css'

const texts = catalogue(
  {
    pages: 'Pages',
    before: 'Previous page',
    after: 'Next page',
    of: (page: string, last: string) => `Page ${page} of ${last}`,
  },
  {
    de: {
      pages: 'Seiten',
      before: 'Vorige Seite',
      after: 'Nächste Seite',
      of: (page: string, last: string) => `Seite ${page} von ${last}`,
    },
  },
)

interface PagerProps {
  page: number
  last: number
  onChange: (page: number) => void
}

/** A pager for lists with several pages; nothing for a single page. */
export function Pager({ page, last, onChange }: PagerProps) {
  const t = useTexts(texts)
  const format = useFormat()
  if (last <= 1) return null
  return (
    <nav className={css.pager} aria-label={t.pages}>
      <IconButton label={t.before} isDisabled={page <= 1} onPress={() => onChange(page - 1)}>
        <ChevronLeft />
      </IconButton>
      <span role="status">{t.of(format.number(page), format.number(last))}</span>
      <IconButton label={t.after} isDisabled={page >= last} onPress={() => onChange(page + 1)}>
        <ChevronRight />
      </IconButton>
    </nav>
  )
}
