import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    similar: 'Similar',
    similarTo: (title: string) => `Similar to ${title}`,
    back: 'Back to the asset',
    one: '# similar asset, the most similar first',
    other: '# similar assets, the most similar first',
    none: 'Nothing similar',
    noneHelp: 'Nothing in the library looks alike or has a similar subject.',
  },
  {
    de: {
      similar: 'Ähnliche',
      similarTo: (title: string) => `Ähnlich wie ${title}`,
      back: 'Zurück zur Datei',
      one: '# ähnliche Datei, die ähnlichste zuerst',
      other: '# ähnliche Dateien, die ähnlichste zuerst',
      none: 'Nichts Ähnliches da',
      noneHelp: 'Nichts in der Bibliothek sieht so aus oder handelt davon.',
    },
  },
)
