import { expect, expectAccessible, expectFits, phone, picture, test } from './kit'

test('the logo stands where people sign in, above every page, and is looked at on light and on dark', async ({
  page,
  as,
  expectErrors,
}) => {
  test.slow() // axe looks at it in light and in dark
  expectErrors(/status of (401|404)/) // nobody is signed in; there is no logo yet
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('img')).toHaveCount(0)

  await as('admin')
  await page.goto('/admin/site')
  await expect(page.getByText('No logo.')).toBeVisible()
  await page
    .getByRole('main')
    .locator('input[type=file]')
    .setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: picture(1, 320, 80),
    })
  for (const ground of ['On light', 'On dark']) {
    const shown = page.getByRole('figure', { name: ground }).getByRole('img')
    await expect.poll(() => shown.evaluate((i: HTMLImageElement) => i.naturalWidth)).toBe(320)
  }
  const mark = page.getByRole('banner').locator('img')
  await expect(mark).toHaveAttribute('src', /^\/logo\.png\?v=/)
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await expectAccessible(page)

  await page.context().clearCookies()
  await page.goto('/')
  const logo = page.getByRole('main').getByRole('img', { name: 'dal' })
  await expect.poll(() => logo.evaluate((i: HTMLImageElement) => i.naturalWidth)).toBe(320)
  await expectFits(page)
  await expectAccessible(page)
})
