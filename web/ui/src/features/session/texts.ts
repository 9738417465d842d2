import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    title: 'Sign in',
    email: 'Email',
    password: 'Password',
    signIn: 'Sign in',
    loading: 'Opening the library…',
    away: 'The server does not answer. It may be starting; this page tries again when you reload it.',
  },
  {
    de: {
      title: 'Anmelden',
      email: 'E-Mail',
      password: 'Passwort',
      signIn: 'Anmelden',
      loading: 'Die Bibliothek wird geöffnet …',
      away: 'Der Server antwortet nicht. Vielleicht startet er gerade; laden Sie die Seite neu.',
    },
  },
)
