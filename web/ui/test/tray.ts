import { type Page, picture } from './kit'

/** A picture to choose in the browser. */
export const png = (name: string, seed: number, size = 40) => ({
  name,
  mimeType: 'image/png',
  buffer: picture(seed, size, size),
})

/** The tray of the uploads, and one of its files. */
export const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })
export const row = (page: Page, name: string) => tray(page).getByRole('listitem').filter({ hasText: name })

type Files = Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]

/** Chooses files to upload. */
export const pick = (page: Page, files: Files) =>
  page.locator('input[type=file][aria-label=Files]').setInputFiles(files)
