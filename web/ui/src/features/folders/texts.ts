import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    folders: 'Folders',
    help: 'External libraries: folders indexed in place. Their files are never copied or changed.',
    none: 'No external libraries yet. Add one on the server with dal import --in-place.',
    empty: 'No assets yet.',
    offline: 'Offline',
    one: '1 asset',
    other: '# assets',
    missing: (n: string, one: boolean) => (one ? '1 file is missing' : `${n} files are missing`),
    problems: (n: string, one: boolean) =>
      one ? '1 file could not be added' : `${n} files could not be added`,
    ingesting: (n: string, one: boolean) => (one ? '1 file is being read' : `${n} files are being read`),
    offlineHelp: 'The folder is unavailable. Its assets stay unchanged until it is available again.',
    scanned: (when: string) => `Last scanned ${when}`,
    neverScanned: 'Not scanned yet',
    scan: 'Scan for changes',
    scanning: 'The server is scanning for changes.',
    state: 'Folder status',
  },
  {
    de: {
      folders: 'Ordner',
      help: 'Externe Bibliotheken: Ordner, deren Dateien an Ort und Stelle indexiert werden. Sie werden nie kopiert oder verändert.',
      none: 'Noch keine externen Bibliotheken. Fügen Sie auf dem Server mit dal import --in-place eine hinzu.',
      empty: 'Noch keine Dateien.',
      offline: 'Offline',
      one: '1 Datei',
      other: '# Dateien',
      missing: (n, one) => (one ? '1 Datei fehlt' : `${n} Dateien fehlen`),
      problems: (n, one) =>
        one ? '1 Datei konnte nicht hinzugefügt werden' : `${n} Dateien konnten nicht hinzugefügt werden`,
      ingesting: (n, one) => (one ? '1 Datei wird eingelesen' : `${n} Dateien werden eingelesen`),
      offlineHelp:
        'Der Ordner ist nicht verfügbar. Die Angaben zu seinen Dateien bleiben unverändert, bis er wieder verfügbar ist.',
      scanned: when => `Zuletzt durchsucht ${when}`,
      neverScanned: 'Noch nicht durchsucht',
      scan: 'Nach Änderungen suchen',
      scanning: 'Der Server sucht nach Änderungen.',
      state: 'Status der Ordner',
    },
  },
)
