import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    help: 'Shown on the sign-in page, at the top of every page and on share pages. Shares can also use it as a watermark. PNG, JPEG, WebP or SVG, up to 5 MB. Wide logos on a transparent background look best.',
    none: 'No logo. Pages show the name of the library.',
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
      help: 'Erscheint auf der Anmeldeseite, oben auf jeder Seite und auf Freigabeseiten. Freigaben können es auch als Wasserzeichen verwenden. PNG, JPEG, WebP oder SVG, bis 5 MB. Am besten eignet sich ein breites Logo mit transparentem Hintergrund.',
      none: 'Kein Logo. Die Seiten zeigen den Namen der Bibliothek.',
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
