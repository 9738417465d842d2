import { toast } from '~/components/toast/Toast'

/** The ways back from what was done last, the latest at the end. */
const ways: (() => void)[] = []
const kept = 50

let closeLast = () => {}

/** Says that something was done and how to take it back: by the message's button or the key for undo. */
export function done(text: string, label: string, undo: () => void) {
  const run = () => {
    const i = ways.indexOf(run)
    if (i < 0) return // taken back already
    ways.splice(i, 1)
    undo()
  }
  ways.push(run)
  if (ways.length > kept) ways.shift()
  closeLast() // many quick changes leave one message
  closeLast = toast({ text, action: { label, run } })
}

/** Takes back what was done last. */
export function undoLast() {
  closeLast()
  ways.at(-1)?.()
}
