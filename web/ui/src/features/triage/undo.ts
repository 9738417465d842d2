import { toast } from '~/components/toast/Toast'

/** The undo functions of recent actions, newest last. */
const ways: (() => void)[] = []
const kept = 50

let closeLast = () => {}

/** Reports an action with undo: by the message's button or the undo key. */
export function done(text: string, label: string, undo: () => void) {
  const run = () => {
    const i = ways.indexOf(run)
    if (i < 0) return // already undone
    ways.splice(i, 1)
    undo()
  }
  ways.push(run)
  if (ways.length > kept) ways.shift()
  closeLast() // many quick changes show one message
  closeLast = toast({ text, action: { label, run } })
}

/** Undoes the last action. */
export function undoLast() {
  closeLast()
  ways.at(-1)?.()
}
