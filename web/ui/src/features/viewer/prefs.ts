import { useState } from 'react'

/** A boolean setting stored in this browser. */
export function useKept(name: string, usual: boolean): [boolean, (v: boolean) => void] {
  const key = `dal.viewer.${name}`
  const [value, setValue] = useState(() => {
    const stored = localStorage.getItem(key)
    return stored === null ? usual : stored === 'true'
  })
  return [
    value,
    v => {
      localStorage.setItem(key, String(v))
      setValue(v)
    },
  ]
}
