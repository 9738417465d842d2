import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  { search: 'Search the library', placeholder: 'Search names, keywords, text and meaning' },
  { de: { search: 'Bibliothek durchsuchen', placeholder: 'Namen, Schlagwörter, Text und Bedeutung suchen' } },
)
