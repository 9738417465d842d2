import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    pages: 'Pages',
    pagesOf: (title: string) => `Pages of ${title}`,
    page: 'Page',
    pageOf: (n: string, total: string) => `Page ${n} of ${total}`,
    ofPages: (total: string) => `of ${total}`,
    nextPage: 'Next page',
    previousPage: 'Previous page',
    closer: 'Zoom in',
    further: 'Zoom out',
    pageFailed: (n: string) => `Page ${n} could not be loaded.`,
    retry: 'Try again',
  },
  {
    de: {
      pages: 'Seiten',
      pagesOf: (title: string) => `Seiten von ${title}`,
      page: 'Seite',
      pageOf: (n: string, total: string) => `Seite ${n} von ${total}`,
      ofPages: (total: string) => `von ${total}`,
      nextPage: 'Nächste Seite',
      previousPage: 'Vorige Seite',
      closer: 'Vergrößern',
      further: 'Verkleinern',
      pageFailed: (n: string) => `Seite ${n} ließ sich nicht laden.`,
      retry: 'Erneut versuchen',
    },
  },
)
