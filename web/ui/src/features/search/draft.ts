import { useEffect, useRef, useState } from 'react'

const rest = 300 // milliseconds without a change

/**
 * A value while somebody changes it: shown at once, told when it rests and is
 * good. What comes from elsewhere takes its place.
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
