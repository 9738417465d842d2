import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import { type Catalogue, type Language, languages, preferred } from './catalogue'
import { formats, localeOf } from './format'

const storageKey = 'dal.language'
const regionKey = 'dal.region'

interface Value {
  language: Language
  choose: (language: Language | null) => void
  /** The language and the region whose date and number formats are used. */
  locale: string
  /** The region chosen in this browser, such as GB; null follows the browser. */
  region: string | null
  chooseRegion: (region: string | null) => void
}

const Context = createContext<Value>({
  language: 'en',
  choose: () => {},
  locale: 'en',
  region: null,
  chooseRegion: () => {},
})

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
  const [region, setRegion] = useState(() => localStorage.getItem(regionKey))
  const chooseRegion = useCallback((r: string | null) => {
    if (r) localStorage.setItem(regionKey, r)
    else localStorage.removeItem(regionKey)
    setRegion(r)
  }, [])
  const locale = localeOf(language, region, navigator.languages)
  document.documentElement.lang = language
  const value = useMemo(
    () => ({ language, choose, locale, region, chooseRegion }),
    [language, choose, locale, region, chooseRegion],
  )
  return <Context value={value}>{children}</Context>
}

/** The chosen language, with a function to change it; null follows the browser. */
export function useLanguage() {
  return use(Context)
}

/** A feature's texts in the current language. */
export function useTexts<T>(c: Catalogue<T>) {
  return c[use(Context).language]
}

/** Dates, numbers and sizes in the format of the language and the region. */
export function useFormat() {
  const { language, locale } = use(Context)
  return useMemo(() => formats(language, locale), [language, locale])
}
