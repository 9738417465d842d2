import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    help: 'It stands where people sign in, above every page, and on the pages of shares, and it can be a watermark. PNG, JPEG, WebP or SVG, up to 5 MB; a wide one on a transparent ground looks best.',
    none: 'There is no logo. The pages show the name of the library.',
    loading: 'Loading…',
    schemes: { light: 'On light', dark: 'On dark' },
    choose: 'Choose a picture…',
    replace: 'Choose another picture…',
    remove: 'Delete the logo',
    saved: 'Logo saved.',
    removed: 'Logo deleted.',
  },
  {
    de: {
      help: 'Es steht auf der Anmeldung, über jeder Seite und auf den Seiten der Freigaben und kann ein Wasserzeichen sein. PNG, JPEG, WebP oder SVG, bis 5 MB; am besten ein breites auf durchsichtigem Grund.',
      none: 'Es gibt kein Logo. Die Seiten zeigen den Namen der Bibliothek.',
      loading: 'Wird geladen …',
      schemes: { light: 'Auf Hell', dark: 'Auf Dunkel' },
      choose: 'Bild wählen …',
      replace: 'Anderes Bild wählen …',
      remove: 'Logo löschen',
      saved: 'Logo gespeichert.',
      removed: 'Logo gelöscht.',
    },
  },
)
