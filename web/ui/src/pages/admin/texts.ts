import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    title: 'Administration',
    places: 'Administration',
    users: 'Users',
    fields: 'Fields',
    vocabularies: 'Vocabularies',
    classes: 'Classes',
    webhooks: 'Webhooks',
    audit: 'Audit log',
    status: 'Status',
    loading: 'Loading…',
    denied: 'For admins only',
    deniedHelp: 'Ask an admin of this library if you need something changed.',
    noPage: 'Page not found',
    toLibrary: 'Go to the library',
  },
  {
    de: {
      title: 'Verwaltung',
      places: 'Verwaltung',
      users: 'Personen',
      fields: 'Felder',
      vocabularies: 'Vokabulare',
      classes: 'Klassen',
      webhooks: 'Webhooks',
      audit: 'Protokoll',
      status: 'Status',
      loading: 'Wird geladen …',
      denied: 'Nur für Admins',
      deniedHelp: 'Wenn etwas geändert werden soll, hilft ein Admin dieser Bibliothek.',
      noPage: 'Diese Seite gibt es nicht',
      toLibrary: 'Zur Bibliothek',
    },
  },
)
