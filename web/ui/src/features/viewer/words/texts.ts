import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  { showText: 'Select text in the picture', hideText: 'Leave the text of the picture' },
  { de: { showText: 'Text im Bild auswählen', hideText: 'Textauswahl beenden' } },
)
