import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    assets: 'Assets',
    empty: 'Nothing here yet',
    emptyHelp: 'Drop files or folders anywhere on this page to add them.',
    none: 'Nothing found',
    noneHelp: 'Try fewer or other words.',
    loading: 'Loading…',
  },
  {
    de: {
      assets: 'Dateien',
      empty: 'Noch nichts da',
      emptyHelp: 'Ziehen Sie Dateien oder Ordner irgendwo auf diese Seite, um sie hinzuzufügen.',
      none: 'Nichts gefunden',
      noneHelp: 'Versuchen Sie es mit weniger oder anderen Wörtern.',
      loading: 'Wird geladen …',
    },
  },
)
