import { useEffect, useRef, useState } from 'react'
import { ApiError, messagesAt } from '~/api/client'
import { ChangedMeanwhile } from './save'

interface Options<T> {
  /** Its name in the interface, by which the server's messages find it. */
  name: string
  value: T
  /** Saves a value; force overwrites what somebody else wrote meanwhile. */
  onSave: (value: T, force?: boolean) => Promise<unknown>
}

/** What somebody else did to a field while one edited it. */
export interface Conflict {
  by: string | null
  keepMine: () => void
  takeTheirs: () => void
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** A field's draft: saved by commit, with what is wrong with it and who was quicker. */
export function useEditable<T>({ name, value, onSave }: Options<T>) {
  const [draft, setDraft] = useState(value)
  const [errors, setErrors] = useState<string[]>([])
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const base = useRef(value)
  const stays = useRef(false) // the draft, while it is saved and when that has failed
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
      setDraft(d => (same(d, v) ? base.current : d)) // written as the server writes it
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
