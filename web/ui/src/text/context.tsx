import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import { type Catalogue, type Language, languages, preferred } from './catalogue'
import { formats } from './format'

const storageKey = 'dal.language'

interface Value {
  language: Language
  choose: (language: Language | null) => void
}

const Context = createContext<Value>({ language: 'en', choose: () => {} })

function stored(): Language | null {
  const l = localStorage.getItem(storageKey)
  return languages.find(x => x === l) ?? null
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [chosen, setChosen] = useState(stored)
  const language = chosen ?? preferred(navigator.languages)
  const choose = useCallback((l: Language | null) => {
    if (l) localStorage.setItem(storageKey, l)
    else localStorage.removeItem(storageKey)
    setChosen(l)
  }, [])
  document.documentElement.lang = language
  const value = useMemo(() => ({ language, choose }), [language, choose])
  return <Context value={value}>{children}</Context>
}

/** The chosen language, and how to choose another; null follows the browser. */
export function useLanguage() {
  return use(Context)
}

/** A feature's texts in the present language. */
export function useTexts<T>(c: Catalogue<T>) {
  return c[use(Context).language]
}

/** Dates, numbers and sizes as the present language writes them. */
export function useFormat() {
  const { language } = use(Context)
  return useMemo(() => formats(language), [language])
}
