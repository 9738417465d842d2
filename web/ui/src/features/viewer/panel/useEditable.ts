import { useEffect, useRef, useState } from 'react'
import { ApiError, messagesAt } from '~/api/client'
import { ChangedMeanwhile } from './save'

interface Options<T> {
  /** The field's API name, for the server's error messages. */
  name: string
  value: T
  /** Saves a value; force overwrites another user's change. */
  onSave: (value: T, force?: boolean) => Promise<unknown>
}

/** Another user's change to a field during editing. */
export interface Conflict {
  by: string | null
  keepMine: () => void
  takeTheirs: () => void
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The draft of a field: saved by commit, with its errors and conflicts. */
export function useEditable<T>({ name, value, onSave }: Options<T>) {
  const [draft, setDraft] = useState(value)
  const [errors, setErrors] = useState<string[]>([])
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const base = useRef(value)
  const stays = useRef(false) // the draft, while it is being saved and after a failure
  const going = useRef(0)
  useEffect(() => {
    if (same(base.current, value)) return
    const before = base.current
    base.current = value
    if (!stays.current) setDraft(d => (same(d, before) ? value : d))
  }, [value])

  const reset = () => {
    stays.current = false
    setDraft(base.current)
    setErrors([])
    setConflict(null)
  }
  const commit = async (v: T = draft, force = false) => {
    setDraft(v)
    if (same(v, base.current) && !force) {
      stays.current = going.current > 0
      return setErrors([])
    }
    stays.current = true
    going.current++
    try {
      await onSave(v, force).finally(() => going.current--)
      stays.current = going.current > 0
      setDraft(d => (same(d, v) ? base.current : d)) // the server may normalize the value
      setErrors([])
      setConflict(null)
    } catch (e) {
      if (e instanceof ChangedMeanwhile) {
        setConflict({ by: e.by, keepMine: () => void commit(v, true), takeTheirs: reset })
        setDraft(v)
      } else if (e instanceof ApiError) {
        const own = messagesAt(e.fields, name)
        setErrors(own.length > 0 ? own : [e.message])
      } else throw e
    }
  }
  return { draft, setDraft, errors, conflict, commit, reset, changed: !same(draft, base.current) }
}
