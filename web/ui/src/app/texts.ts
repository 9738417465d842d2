import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    library: 'Library',
    collections: 'Collections',
    duplicates: 'Duplicates',
    trash: 'Trash',
    admin: 'Administration',
    main: 'Main menu',
    account: 'Account',
    keys: 'Keyboard shortcuts',
    signOut: 'Sign out',
    toContent: 'Skip to content',
    broken: 'Something went wrong',
    noPage: 'Page not found',
    toLibrary: 'Go to the library',
    language: 'Deutsch',
  },
  {
    de: {
      library: 'Bibliothek',
      collections: 'Sammlungen',
      duplicates: 'Duplikate',
      trash: 'Papierkorb',
      admin: 'Verwaltung',
      main: 'Hauptmenü',
      account: 'Konto',
      keys: 'Tastenkürzel',
      signOut: 'Abmelden',
      toContent: 'Zum Inhalt springen',
      broken: 'Diese Seite ist fehlgeschlagen',
      noPage: 'Diese Seite gibt es nicht',
      toLibrary: 'Zur Bibliothek',
      language: 'English',
    },
  },
)
