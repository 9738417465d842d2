import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  { showText: 'Select text in the picture', hideText: 'Stop selecting text' },
  { de: { showText: 'Text im Bild auswählen', hideText: 'Textauswahl beenden' } },
)
