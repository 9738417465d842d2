import { expect, test } from './kit'

test('what others change is shown as it happens', async ({ page, as, library }) => {
  const [gaid] = await library.pictures(3)
  await as('viewer')
  await page.goto(`/assets/${gaid}`)
  await expect(page.getByRole('heading', { name: 'picture-1' }).first()).toBeVisible()
  await library.api('PUT', `/assets/${gaid}`, { title: 'Harbour at dawn' })
  await expect(page.getByText('Harbour at dawn').first()).toBeVisible()
  await page.goto('/collections')
  await library.api('POST', '/collections', { name: 'Ships' })
  await expect(page.getByRole('link', { name: /Ships/ })).toBeVisible()
})

test('the stream comes back after the server was away, and nothing is missed', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED_ENCODING/, /ERR_CONNECTION_RESET/)
  await as('viewer')
  await page.goto('/collections')
  await expect(page.getByRole('heading', { level: 1, name: 'Collections' })).toBeVisible()
  const opened = page.waitForRequest(/\/stream/)
  await library.stop()
  await library.start()
  await library.api('POST', '/collections', { name: 'Lighthouses' })
  await opened
  await expect(page.getByRole('link', { name: /Lighthouses/ })).toBeVisible({ timeout: 15_000 })
})
