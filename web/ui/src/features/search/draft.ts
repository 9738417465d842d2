import { useEffect, useRef, useState } from 'react'

const rest = 300 // milliseconds without a change

/**
 * A value while it is being edited: displayed immediately, and reported when it is stable and valid. An external
 * change replaces it.
 */
export function useDraft<T>(value: T, onChange: (value: T) => void, isGood: (value: T) => boolean) {
  const [draft, setDraft] = useState(value)
  const given = JSON.stringify(value)
  const [told, setTold] = useState(given)
  if (told !== given) {
    setTold(given)
    setDraft(value)
  }
  const latest = useRef({ onChange, isGood })
  latest.current = { onChange, isGood }
  useEffect(() => {
    if (JSON.stringify(draft) === given || !latest.current.isGood(draft)) return
    const timer = setTimeout(() => latest.current.onChange(draft), rest)
    return () => clearTimeout(timer)
  }, [draft, given])
  return [draft, setDraft] as const
}
