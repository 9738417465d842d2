import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectAccessible, test } from './kit'

test.use({ locale: 'en-GB', timezoneId: 'Europe/London' })

test('dates follow the region of the browser, or the one that was chosen', async ({ page, as, library }) => {
  test.slow() // axe looks at it in light and in dark
  const data = readFileSync(join(import.meta.dirname, 'samples/exposure.jpg'))
  const [gaid] = await library.ingest({ name: 'exposure.jpg', data })
  await library.api('PUT', `/assets/${gaid}`, { usage_from: '2023-12-31T12:00:00Z' })
  await as('editor')
  await page.goto(`/assets/${gaid}`)
  await page.getByRole('tab', { name: 'File' }).click()
  const panel = page.locator('[data-viewer]')
  const camera = panel.getByText('Nikon COOLPIX P6000 · 24 mm · f/5.9 · 1/75 s · ISO 64')
  await expect(camera).toBeVisible()
  const raw = camera.locator('..').getByText('59/10') // as the file says it
  await expect(raw).toBeHidden()
  await camera.click()
  await expect(raw).toBeVisible()
  await expectAccessible(page)

  await page.goto('/account')
  const region = page.getByRole('button', { name: /Dates and numbers/ })
  await expect(region).toHaveAccessibleDescription(/\d{1,2} [A-Z][a-z]+ \d{4}/) // 31 Dec 2023
  await region.click()
  await page.getByRole('option', { name: 'United States' }).click()
  await expect(region).toHaveAccessibleDescription(/[A-Z][a-z]+ \d{1,2}, \d{4}/) // Dec 31, 2023
  await page.reload()
  await expect(region).toHaveAccessibleDescription(/[A-Z][a-z]+ \d{1,2}, \d{4}/)
})
