import { email, expect, password, picture, test } from './kit'

test('the application works below a path', async ({ page, library, expectErrors, browser }) => {
  expectErrors(/ 401 .*\/api\/v1\/session$/)
  await library.stop()
  await library.start('--site-url', `${library.url}/dam`)
  const asked: string[] = []
  page.on('request', r => asked.push(r.url()))

  await page.goto('/collections') // dal's own address leads to that of the site
  await expect(page).toHaveURL(`${library.url}/dam/collections`)
  await page.getByLabel('Email').fill(email('admin'))
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Collections' })).toBeVisible()

  await page.goto('/dam/')
  const files = [{ name: 'below.png', mimeType: 'image/png', buffer: picture(1, 320, 240) }]
  await page.locator('input[type=file]').first().setInputFiles(files)
  const shown = page.getByRole('img', { name: 'below' }).first()
  await expect(shown).toHaveJSProperty('complete', true)
  const link = page.getByRole('row', { name: /below/ }).getByRole('link').first()
  await link.click()
  await expect(page).toHaveURL(/\/dam\/assets\/\w+$/)
  await page.reload()
  await expect(page.getByRole('heading', { name: /below/ })).toBeVisible()

  for (const to of ['shares', 'admin/webhooks', 'admin/status', 'duplicates', 'operations', 'trash']) {
    await page.goto(`/dam/${to}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  const gaid = (await library.api('GET', '/assets')).data[0].gaid
  const { url } = (await library.api('POST', '/shares', { type: 'assets', name: 'Below', gaids: [gaid] }))
    .data
  const guest = await (await browser.newContext()).newPage()
  await guest.goto(url)
  await expect(guest.getByRole('link', { name: /below/ })).toBeVisible()
  await guest.getByRole('link', { name: /below/ }).click()
  await expect(guest.getByRole('img').first()).toHaveJSProperty('complete', true)
  await guest.context().close()

  const outside = asked.filter(u => u.startsWith('http') && !u.startsWith(`${library.url}/dam/`))
  expect(outside.filter(u => new URL(u).pathname !== '/collections')).toEqual([])
})
