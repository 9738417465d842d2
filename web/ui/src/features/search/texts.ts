import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    search: 'Search the library',
    placeholder: 'Search names, keywords, text and meaning',
    rules: 'Rules',
    showResults: (n: number) => (n === 1 ? 'Show 1 result' : `Show ${n.toLocaleString('en')} results`),
    nothingToCount: 'There is nothing to count here.',
    savedSearches: 'Saved searches',
    noneSaved: 'Nothing saved yet. Search for something, then save it here.',
    saveAs: 'Save the present search as',
    save: 'Save',
    remove: 'Delete',
    filters: 'Filters',
  },
  {
    de: {
      search: 'Bibliothek durchsuchen',
      placeholder: 'Namen, Schlagwörter, Text und Bedeutung suchen',
      rules: 'Regeln',
      showResults: (n: number) =>
        n === 1 ? '1 Ergebnis zeigen' : `${n.toLocaleString('de')} Ergebnisse zeigen`,
      nothingToCount: 'Hier gibt es nichts zu zählen.',
      savedSearches: 'Gesicherte Suchen',
      noneSaved: 'Noch nichts gesichert. Suchen Sie etwas und sichern Sie es hier.',
      saveAs: 'Diese Suche sichern als',
      save: 'Sichern',
      remove: 'Löschen',
      filters: 'Filter',
    },
  },
)
