import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    folders: 'Folders',
    help: 'Folders that are catalogued where they lie: their files are in the library without being copied, and are never changed.',
    none: 'No folder is catalogued in place. Whoever runs the server adds one with dal import --in-place.',
    empty: 'No assets yet.',
    offline: 'Offline',
    one: '1 asset',
    other: '# assets',
    missing: (n: string, one: boolean) => (one ? '1 file is missing' : `${n} files are missing`),
    problems: (n: string, one: boolean) =>
      one ? '1 file could not be taken' : `${n} files could not be taken`,
    ingesting: (n: string, one: boolean) => (one ? '1 file is being read' : `${n} files are being read`),
    offlineHelp: 'Its folder is not there at present. Nothing happens to its assets until it is back.',
    scanned: (when: string) => `Last looked through ${when}`,
    neverScanned: 'Not looked through yet',
    scan: 'Look for changes',
    scanning: 'The server looks for changes.',
    state: 'State of the folders',
  },
  {
    de: {
      folders: 'Ordner',
      help: 'Ordner, die dort erschlossen sind, wo sie liegen: Ihre Dateien sind in der Bibliothek, ohne kopiert zu werden, und werden nie verändert.',
      none: 'Kein Ordner ist an seinem Platz erschlossen. Wer den Server betreibt, fügt mit dal import --in-place einen hinzu.',
      empty: 'Noch keine Assets.',
      offline: 'Offline',
      one: '1 Asset',
      other: '# Assets',
      missing: (n, one) => (one ? '1 Datei fehlt' : `${n} Dateien fehlen`),
      problems: (n, one) =>
        one ? '1 Datei konnte nicht aufgenommen werden' : `${n} Dateien konnten nicht aufgenommen werden`,
      ingesting: (n, one) => (one ? '1 Datei wird gelesen' : `${n} Dateien werden gelesen`),
      offlineHelp:
        'Der Ordner ist zurzeit nicht da. Mit seinen Assets geschieht nichts, bis er wieder da ist.',
      scanned: when => `Zuletzt durchgesehen ${when}`,
      neverScanned: 'Noch nicht durchgesehen',
      scan: 'Nach Änderungen suchen',
      scanning: 'Der Server sucht nach Änderungen.',
      state: 'Zustand der Ordner',
    },
  },
)
