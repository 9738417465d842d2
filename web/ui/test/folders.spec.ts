import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, expectAccessible, expectFits, type Page, phone, picture, test } from './kit'

const above = mkdtempSync(join(tmpdir(), 'dal-place-'))
const photos = join(above, 'Photos')

test.afterAll(() => rmSync(above, { recursive: true, force: true }))

/** Writes a picture that nobody has touched for years. */
function write(name: string, seed: number) {
  const path = join(photos, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, picture(seed, 320, 240))
  utimesSync(path, 1_600_000_000, 1_600_000_000)
}

async function expectGood(page: Page) {
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('folders in place are a tree, a filter and a facet, and are offline when they are away', async ({
  page,
  as,
  library,
}) => {
  await as('admin')
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Library', exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Folders' })).toHaveCount(0)

  write('2024/Trip, one/dawn.png', 1)
  write('2024/Trip, one/dusk.png', 2)
  write('2025/harbour.png', 3)
  library.dal(['import', '--in-place', photos, '--user', 'admin@example.com'])
  await page.goto('/')
  await page.getByRole('link', { name: 'Folders' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Folders' })).toBeVisible()
  const tree = page.getByRole('treegrid', { name: 'Folders' })
  const row = (name: RegExp) => tree.getByRole('row', { name })
  await row(/^Photos/).focus()
  await page.keyboard.press('ArrowRight')
  await row(/^2024/).focus()
  await page.keyboard.press('ArrowRight')
  await expect(row(/Trip, one/)).toContainText('2')
  await expectGood(page)

  await row(/^2024/).click()
  await expect(page.getByText('Folder starts with Photos/2024/')).toBeVisible()
  await expect(page.getByRole('link', { name: /dawn/ }).first()).toBeVisible()
  await expect(page.getByRole('link', { name: /harbour/ })).toHaveCount(0)

  const gaid = (await library.api('GET', '/assets?q=harbour')).data[0].gaid
  renameSync(photos, `${photos} away`)
  await library.api('POST', '/roots/1/scan')
  await page.goto('/folders')
  await expect(page.getByText('Offline').first()).toBeVisible({ timeout: 20_000 })
  await expectGood(page)
  await page.goto(`/assets/${gaid}`)
  await expect(page.getByText('is offline. Only its previews')).toBeVisible()
  renameSync(`${photos} away`, photos)
})
