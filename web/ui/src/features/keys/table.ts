/** The context of a key. */
type Place = 'everywhere' | 'list' | 'viewer' | 'media' | 'pages' | 'triage' | 'duplicates'

interface Binding {
  place: Place
  keys: readonly string[]
}

/**
 * All keys of the application: useKeys binds them, and the help dialog shows them. The grid, the search box and the
 * builder bind those marked own.
 */
export const table = {
  help: { place: 'everywhere', keys: ['?'] },
  search: { place: 'everywhere', keys: ['/'] }, // own
  undo: { place: 'everywhere', keys: ['u', 'Ctrl+z'] },

  move: { place: 'list', keys: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'] }, // own
  select: { place: 'list', keys: [' '] }, // own
  range: { place: 'list', keys: ['Shift+ArrowRight'] }, // own
  selectAll: { place: 'list', keys: ['Ctrl+a'] }, // own
  open: { place: 'list', keys: ['Enter'] }, // own
  clear: { place: 'list', keys: ['Escape'] }, // own

  next: { place: 'viewer', keys: ['ArrowRight', 'n'] },
  previous: { place: 'viewer', keys: ['ArrowLeft', 'p'] },
  first: { place: 'viewer', keys: ['Home'] },
  last: { place: 'viewer', keys: ['End'] },
  closer: { place: 'viewer', keys: ['+', '='] },
  further: { place: 'viewer', keys: ['-'] },
  actual: { place: 'viewer', keys: ['z'] },
  panLeft: { place: 'viewer', keys: ['Shift+ArrowLeft'] },
  panRight: { place: 'viewer', keys: ['Shift+ArrowRight'] },
  panUp: { place: 'viewer', keys: ['Shift+ArrowUp'] },
  panDown: { place: 'viewer', keys: ['Shift+ArrowDown'] },
  fullScreen: { place: 'viewer', keys: ['f'] },
  strip: { place: 'viewer', keys: ['s'] },
  details: { place: 'viewer', keys: ['i'] },
  mark: { place: 'viewer', keys: [' '] },
  similar: { place: 'viewer', keys: ['m'] },
  advance: { place: 'viewer', keys: ['Shift+n'] },
  close: { place: 'viewer', keys: ['Escape'] },

  play: { place: 'media', keys: [' '] },
  back: { place: 'media', keys: ['j'] },
  forward: { place: 'media', keys: ['l'] },
  frameBack: { place: 'media', keys: [','] },
  frameOn: { place: 'media', keys: ['.'] },
  slower: { place: 'media', keys: ['<'] },
  faster: { place: 'media', keys: ['>'] },
  mute: { place: 'media', keys: ['Shift+m'] },

  nextPage: { place: 'pages', keys: ['PageDown'] },
  previousPage: { place: 'pages', keys: ['PageUp'] },

  rate0: { place: 'triage', keys: ['0'] },
  rate1: { place: 'triage', keys: ['1'] },
  rate2: { place: 'triage', keys: ['2'] },
  rate3: { place: 'triage', keys: ['3'] },
  rate4: { place: 'triage', keys: ['4'] },
  rate5: { place: 'triage', keys: ['5'] },
  approve: { place: 'triage', keys: ['a'] },
  reject: { place: 'triage', keys: ['x'] },
  review: { place: 'triage', keys: ['r'] },
  draft: { place: 'triage', keys: ['d'] },
  archive: { place: 'triage', keys: ['Shift+a'] },
  keywords: { place: 'triage', keys: ['k'] },
  collection: { place: 'triage', keys: ['c'] },
  trash: { place: 'triage', keys: ['Delete', 'Backspace'] },

  nextGroup: { place: 'duplicates', keys: ['n', 'ArrowDown'] },
  previousGroup: { place: 'duplicates', keys: ['p', 'ArrowUp'] },
  keep: { place: 'duplicates', keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'] },
  compare: { place: 'duplicates', keys: ['v'] },
  merge: { place: 'duplicates', keys: ['Enter'] },
} as const satisfies Record<string, Binding>

export type KeyName = keyof typeof table

/** The name of a key press in the table. */
export function pressed(e: KeyboardEvent): string {
  const shifts = /^(\p{L}|Arrow.*)$/u.test(e.key)
  return (
    (e.ctrlKey || e.metaKey ? 'Ctrl+' : '') +
    (e.shiftKey && shifts ? 'Shift+' : '') +
    (e.key.length === 1 ? e.key.toLowerCase() : e.key)
  )
}
