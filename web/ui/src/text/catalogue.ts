/** The languages of the interface. Texts are written in English first. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

type Text = string | ((...args: never[]) => string) | Record<string, string>

/** The same texts in another language: all of them, with the same arguments. */
type Translated<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => string
    ? (...args: A) => string
    : T[K] extends string
      ? string
      : { [Name in keyof T[K]]: string }
}

/** The text for a key that may be missing, such as an enum value of a newer server. */
export function textFor(texts: object, key: string, otherwise = key): string {
  return (texts as Record<string, string>)[key] ?? otherwise
}

export type Catalogue<T> = { [L in Language]: Translated<T> }

/** Declares the texts of a feature; a missing translation is a compile error. */
export function catalogue<T extends Record<string, Text>>(
  en: T,
  others: { [L in Exclude<Language, 'en'>]: Translated<T> },
): Catalogue<T> {
  return { en: en as unknown as Translated<T>, ...others }
}

/** The best match for the browser's preferred languages. */
export function preferred(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0]
    const found = languages.find(l => l === base)
    if (found) return found
  }
  return 'en'
}
