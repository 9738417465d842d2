import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    similar: 'Similar',
    similarTo: (title: string) => `Similar to ${title}`,
    back: 'Back to the asset',
    one: '# similar asset, the most similar first',
    other: '# similar assets, the most similar first',
    none: 'No similar assets',
    noneHelp: 'No asset in the library looks similar or has a similar subject.',
  },
  {
    de: {
      similar: 'Ähnliche',
      similarTo: (title: string) => `Ähnlich wie ${title}`,
      back: 'Zurück zur Datei',
      one: '# ähnliche Datei, die ähnlichste zuerst',
      other: '# ähnliche Dateien, die ähnlichste zuerst',
      none: 'Keine ähnlichen Dateien',
      noneHelp: 'Keine Datei der Bibliothek sieht ähnlich aus oder hat ein ähnliches Thema.',
    },
  },
)
