import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    trash: 'Trash',
    empty: 'The trash is empty',
    emptyHelp: 'Deleted assets stay here until you delete them permanently.',
    restore: 'Restore',
    restored: (n: string) => `${n} restored.`,
    remove: 'Delete permanently',
    confirm: (n: string) => `Delete ${n} permanently?`,
    confirmHelp: 'The files are deleted too. This cannot be undone.',
    cancel: 'Cancel',
    confirmed: (n: string) => `Delete ${n} permanently`,
    undo: 'Undo',
  },
  {
    de: {
      trash: 'Papierkorb',
      empty: 'Der Papierkorb ist leer',
      emptyHelp: 'Gelöschte Dateien bleiben hier, bis sie endgültig gelöscht werden.',
      restore: 'Wiederherstellen',
      restored: (n: string) => `${n} wiederhergestellt.`,
      remove: 'Endgültig löschen',
      confirm: (n: string) => `${n} endgültig löschen?`,
      confirmHelp: 'Auch die Dateien werden gelöscht. Das lässt sich nicht rückgängig machen.',
      cancel: 'Abbrechen',
      confirmed: (n: string) => `${n} endgültig löschen`,
      undo: 'Rückgängig',
    },
  },
)
