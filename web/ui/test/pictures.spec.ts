import { expect, expectAccessible, expectFits, type Page, phone, picture, test } from './kit'

const desk = { width: 1440, height: 900 }

/** The sides of a picture that a browser without cookies or credentials opens. */
async function sizeOf(page: Page, url: string) {
  const browser = page.context().browser()
  if (!browser) throw new Error('there is no browser')
  const stranger = await browser.newContext()
  try {
    const tab = await stranger.newPage()
    const answer = await tab.goto(url)
    expect(answer?.status()).toBe(200)
    expect(answer?.headers()['set-cookie']).toBeUndefined()
    return await tab.evaluate(() => {
      const image = document.images[0]
      return image ? [image.naturalWidth, image.naturalHeight] : []
    })
  } finally {
    await stranger.close()
  }
}

test('a preset is made, and a link to a picture made with it needs no account', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/status of 422/)
  const [gaid] = await library.ingest({ name: 'boat.png', data: picture(1, 640, 480) })
  await as('admin')
  await page.goto('/admin/presets')
  await expect(page.getByText('social-square')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'New preset' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Bad Name')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/lower-case letters/)
  await dialog.getByLabel('Name').fill('badge')
  await dialog.getByLabel('Width in pixels').fill('90')
  await dialog.getByLabel('Height in pixels').fill('120')
  await dialog.getByRole('button', { name: /Fit/ }).click()
  await page.getByRole('option', { name: 'Cropped to fill' }).click()
  await expect(dialog.getByRole('button', { name: /Crop position/ })).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize(desk)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('90 × 120 · Cropped to fill · JPEG')).toBeVisible()
  await page.setViewportSize(phone)
  await expectFits(page)
  await expectAccessible(page)
  await page.setViewportSize(desk)

  await page.goto(`/assets/${gaid}`)
  const viewer = page.locator('[data-viewer]')
  await viewer.getByRole('button', { name: 'Download' }).click()
  await page.getByRole('menuitem', { name: 'Link for web pages…' }).click()
  const link = dialog.getByRole('textbox', { name: 'Link' })
  await expect(link).toHaveValue(/\/i\/.*w=1920,h=1920$/) // the preset web
  const web = await link.inputValue()
  await dialog.getByRole('button', { name: /Size/ }).click()
  await page.getByRole('option', { name: 'badge' }).click()
  await expect(link).toHaveValue(/w=90,h=120,fit=cover$/)
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize(desk)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialog.getByRole('button', { name: 'Copy' }).first().click()
  await expect(dialog.getByRole('button', { name: 'Copied' })).toBeVisible()
  const url = await page.evaluate(() => navigator.clipboard.readText())
  expect(url).toBe(await link.inputValue())
  await expect(dialog.getByRole('textbox', { name: 'HTML' })).toHaveValue(`<img src="${url}" alt="boat">`)
  expect(await sizeOf(page, url)).toEqual([90, 120])
  expect(await sizeOf(page, web)).toEqual([640, 480])
  await page.keyboard.press('Escape')
  await expect(link).toBeHidden()

  await page.goto('/admin/presets')
  await page.getByRole('button', { name: 'Actions for badge' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('badge deleted')).toBeVisible()
  await expect(page.getByText('90 × 120')).toHaveCount(0)
  expect(await sizeOf(page, url)).toEqual([90, 120])
  await library.api('DELETE', `/assets/${gaid}`)
  expect((await fetch(url)).status).toBe(404)
})

test('links are for those who may share', async ({ page, as, library }) => {
  const [gaid] = await library.ingest({ name: 'barge.png', data: picture(2, 320, 240) })
  await as('viewer')
  await page.goto(`/assets/${gaid}`)
  await page.locator('[data-viewer]').getByRole('button', { name: 'Download' }).click()
  await expect(page.getByRole('menuitem', { name: 'social-square' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Link for web pages…' })).toHaveCount(0)
})
