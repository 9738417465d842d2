import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    tags: 'AI tags',
    help: 'Enter accepts a tag as a keyword. Delete removes it permanently.',
    accept: (tag: string) => `Accept ${tag}`,
    remove: (tag: string) => `Remove ${tag}`,
    sure: (share: string) => `${share} sure`,
    sources: { builtin: 'built-in model', endpoint: 'AI endpoint', person: 'a person' },
  },
  {
    de: {
      tags: 'KI-Tags',
      help: 'Eingabe übernimmt ein Tag als Schlagwort. Entf löscht es endgültig.',
      accept: (tag: string) => `${tag} übernehmen`,
      remove: (tag: string) => `${tag} entfernen`,
      sure: (share: string) => `zu ${share} sicher`,
      sources: { builtin: 'eingebautes Modell', endpoint: 'KI-Dienst', person: 'eine Person' },
    },
  },
)
