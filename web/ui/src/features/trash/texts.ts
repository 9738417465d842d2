import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    trash: 'Trash',
    empty: 'The trash is empty',
    emptyHelp: 'What you delete waits here until you delete it for good.',
    restore: 'Restore',
    restored: (n: string) => `${n} restored.`,
    remove: 'Delete for good',
    confirm: (n: string) => `Delete ${n} for good?`,
    confirmHelp: 'The files are deleted too. This cannot be undone.',
    cancel: 'Cancel',
    confirmed: (n: string) => `Delete ${n} for good`,
    undo: 'Undo',
  },
  {
    de: {
      trash: 'Papierkorb',
      empty: 'Der Papierkorb ist leer',
      emptyHelp: 'Was gelöscht wird, bleibt hier, bis es endgültig gelöscht wird.',
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
