import { expect, expectAccessible, expectFits, type Page, phone, picture, tablet, test } from './kit'

const desk = { width: 1440, height: 900 }

test.beforeAll(async ({ library }) => {
  await library.pictures(4)
  await library.api('POST', '/collections', { name: 'Spring' })
})

/** Does something with a share's page in a browser that knows nothing of the library. */
async function asGuest(page: Page, fn: (guest: Page) => Promise<void>) {
  const browser = page.context().browser()
  if (!browser) throw new Error('there is no browser')
  const context = await browser.newContext()
  try {
    await fn(await context.newPage())
  } finally {
    await context.close()
  }
}

const select = (page: Page) => page.getByRole('toolbar', { name: 'Selection' })

test('a share is made of a selection, opened by a guest, looked after, and revoked', async ({
  page,
  as,
  expectErrors,
}) => {
  test.slow() // axe looks at it in light and in dark, on a desk and on a phone
  expectErrors(/status of 422/)
  await as('editor')
  await page.goto('/shares')
  await expect(page.getByRole('heading', { name: 'No shares yet' })).toBeVisible()
  await expectAccessible(page)

  await page.goto('/')
  await page.getByRole('gridcell').locator('a').first().press('Control+a')
  await select(page).getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share 4' })
  await dialog.getByLabel('Name', { exact: true }).fill('Press pictures')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('short')
  await dialog.getByLabel('Watermark', { exact: true }).fill('© Harbour Museum')
  await dialog.getByLabel('Watermark opacity (%)').fill('60')
  await dialog.getByText('More limits').click()
  await dialog.getByLabel('Longest side in pixels').fill('large')
  await dialog.getByLabel('Only these email addresses').fill('bo@example.com, nobody')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize(desk)
  const create = dialog.getByRole('button', { name: 'Create link' })
  await create.click()
  await expect(dialog.getByLabel('Longest side in pixels')).toHaveAccessibleDescription(/integer|number/)
  await dialog.getByLabel('Longest side in pixels').fill('800')
  await create.click()
  await expect(dialog.getByLabel('Only these email addresses')).toHaveAccessibleDescription(
    /nobody: The address must be a valid email address/,
  )
  await dialog.getByLabel('Only these email addresses').fill('bo@example.com')
  await create.click()
  const password = dialog.getByRole('textbox', { name: 'Password' })
  await expect(password).toHaveAccessibleDescription(/6 to 256 characters/)
  await expect(password).toBeFocused()
  await expectAccessible(page)
  await password.fill('harbour')
  await create.click()

  const made = page.getByRole('dialog', { name: 'Share link' })
  const link = made.getByRole('textbox', { name: 'Link' })
  await expect(link).toHaveValue(/\/s\//)
  const url = await link.inputValue()
  await expectAccessible(page)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await made.getByRole('button', { name: 'Copy' }).click()
  await expect(made.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
  const opened = page.waitForEvent('popup')
  await made.getByRole('link', { name: 'Open as a guest' }).click()
  const tab = await opened
  await expect(tab).toHaveURL(url)
  await expect(tab.getByLabel('Password')).toBeVisible()
  await tab.close()
  await made.getByRole('button', { name: 'Close' }).click()
  await expect(made).toBeHidden()
  await expect(select(page).getByRole('button', { name: 'Share' })).toBeFocused()

  await asGuest(page, async guest => {
    await guest.goto(url)
    await guest.getByLabel('Password').fill('harbor')
    await guest.getByRole('button', { name: 'Open' }).click()
    await expect(guest.getByRole('alert')).toHaveText('The password is wrong.')
    await guest.getByLabel('Password').fill('harbour')
    await guest.getByRole('button', { name: 'Open' }).click()
    await guest.getByLabel('Email address').fill('bo@example.com')
    await guest.getByRole('button', { name: 'Continue' }).click()
    await expect(guest.getByRole('heading', { level: 1 })).toHaveText('Press pictures')
    await guest.getByRole('listitem').first().getByRole('link').click()
    const download = guest.waitForEvent('download')
    await guest.getByRole('link', { name: 'Download the picture' }).click()
    await download
  })

  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Shares' }).click()
  const row = page.getByRole('list', { name: 'Shares' }).getByRole('listitem')
  await expect(row).toContainText('Active')
  await expect(row).toContainText('4 assets')
  await expect(row).toContainText('1 visit')
  await expect(row).toContainText('1 download')
  await expectAccessible(page)
  await row.getByRole('link', { name: 'Press pictures' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Press pictures')
  await expect(page.getByText('watermark “© Harbour Museum”')).toBeVisible()
  const log = page.getByRole('table', { name: 'Access log' })
  await expect(log.getByRole('row')).toHaveCount(4) // with the head
  await expect(log.getByRole('row', { name: /Downloaded: picture-\d/ })).toContainText(
    'bo@example.com (not verified)',
  )
  await expect(log.getByRole('row', { name: /Visited/ })).toContainText('127.0.0.1')
  await expect(log.getByRole('row', { name: /Wrong password/ })).toContainText('Chrome on Linux')
  await page.mouse.move(0, 0) // off what shows a hint
  await expectAccessible(page)
  for (const size of [tablet, phone]) {
    await page.setViewportSize(size)
    await expectFits(page)
  }
  await expectAccessible(page)

  // From here on by the phone, where what few need is behind More.
  await page.goto('/')
  const places = page.getByRole('navigation', { name: 'Main menu' })
  await expect(places.getByText('Analytics')).toBeHidden()
  await places.getByRole('button', { name: 'More' }).click()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Analytics' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Analytics')
  await places.getByRole('link', { name: 'Shares' }).click()
  await expect(row).toBeVisible()
  await expectFits(page)
  await expectAccessible(page)
  const menu = page.getByRole('button', { name: 'Actions for Press pictures' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Copy link' }).click()
  await expect(page.getByText('Link copied.')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
  await menu.click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect(page.getByText('Press pictures revoked.')).toBeVisible()
  await expect(row).toContainText('Revoked')
  await expect(menu).toHaveCount(0)
  await asGuest(page, async guest => {
    expect((await guest.goto(url))?.status()).toBe(404)
  })
})

test('an asset is shared from the viewer, and its share edited', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/status of 422/)
  const [gaid] = await library.ingest({ name: 'boat.png', data: picture(9, 640, 480) })
  await as('editor')
  await page.goto(`/assets/${gaid}`)
  await page.locator('[data-viewer]').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Share…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share boat' })
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('boat')
  await dialog.getByText('Share originals').click()
  await expect(dialog.getByText('Guests get copies without metadata.')).toBeVisible()
  await dialog.getByText('Include metadata').click()
  await expect(dialog.getByText('Guests get copies without metadata.')).toBeHidden()
  await dialog.getByLabel('Watermark', { exact: true }).fill('© Harbour Museum')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await expect(dialog.getByRole('alert')).toHaveText(/An original leaves without the watermark/)
  await expect(dialog.getByRole('switch', { name: /Share originals/ })).toHaveAccessibleDescription(
    /watermark/,
  )
  await dialog.getByLabel('Watermark', { exact: true }).fill('')
  await dialog.getByRole('textbox', { name: 'Password' }).fill('harbour')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const made = page.getByRole('dialog', { name: 'Share link' })
  const url = await made.getByRole('textbox', { name: 'Link' }).inputValue()
  await made.getByRole('button', { name: 'Close' }).click()

  await page.goto('/shares')
  await page.getByRole('button', { name: 'Actions for boat' }).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit boat' })
  await edit.getByLabel('Name', { exact: true }).fill('The boat')
  await edit.getByText('Remove the password').click()
  await edit.getByRole('spinbutton', { name: /month/ }).fill('12')
  await edit.getByRole('spinbutton', { name: /day/ }).fill('31')
  await edit.getByRole('spinbutton', { name: /year/ }).fill('2099')
  await edit.getByText('More limits').click()
  await edit.getByLabel('Maximum visits').fill('1')
  await edit.getByLabel('Terms', { exact: true }).fill('For editorial use only.')
  await edit.getByText('Guests must accept the terms').click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The boat saved.')).toBeVisible()
  const row = page.getByRole('list', { name: 'Shares' }).getByRole('listitem').filter({ hasText: 'The boat' })
  await expect(row).toContainText(/until Dec 31, 2099, 11:59/)
  await expect(row).toContainText('0 of 1 visits')

  await asGuest(page, async guest => {
    await guest.goto(url)
    await guest.getByLabel('Your name').fill('Bo Ek')
    await guest.getByRole('button', { name: 'I accept the terms' }).click()
    await guest.getByRole('listitem').first().getByRole('link').click()
    await expect(guest.getByRole('link', { name: 'Download the original' })).toBeVisible()
  })
  await page.reload()
  await expect(row).toContainText('Used up')
  await row.getByRole('link', { name: 'The boat' }).click()
  await expect(page.getByText('Anyone with the link, after accepting the terms')).toBeVisible()
  await expect(page.getByRole('row', { name: /Accepted the terms/ })).toBeVisible()

  // What was not touched stays as it was.
  const before = (await library.api('GET', '/shares')).data[0]
  await page.getByRole('button', { name: 'Actions for The boat' }).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  expect((await library.api('GET', '/shares')).data[0]).toEqual(before)
})

test('a collection is shared from its menu', async ({ page, as }) => {
  await as('editor')
  await page.goto('/collections/1')
  await page.getByRole('main').getByRole('button', { name: 'Actions for Spring' }).last().click()
  await page.getByRole('menuitem', { name: 'Share…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share Spring' })
  await expect(dialog.getByText('including anything you add later')).toBeVisible()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('dialog', { name: 'Share link' }).getByRole('button', { name: 'Close' }).click()
  await page.goto('/shares')
  await page.getByRole('link', { name: 'Spring' }).click()
  await expect(page.getByText('No visits yet.')).toBeVisible()
  await page.getByRole('definition').getByRole('link', { name: 'Spring' }).click()
  await expect(page).toHaveURL(/\/collections\/1$/)
})

test('the bar of a selection fits a phone', async ({ page, as, library }) => {
  await as('editor')
  await page.setViewportSize(phone)
  const gaids = (await library.api('GET', '/assets')).data.map((a: { gaid: string }) => a.gaid)
  await library.api('POST', '/collections/1/assets', { gaids })
  for (const path of ['/', '/collections/1']) {
    await page.goto(path)
    await page.getByRole('gridcell').locator('a').first().press('Control+a')
    const buttons = select(page).getByRole('button')
    await expect(select(page).getByRole('button', { name: 'Share' })).toBeVisible()
    for (const button of await buttons.all()) await expect(button).toBeInViewport({ ratio: 1 })
  }
})

test('those who may not share see nothing of it', async ({ page, as, library }) => {
  const gaid = (await library.api('GET', '/assets')).data[0].gaid
  await as('viewer')
  await page.goto('/')
  await page.getByRole('gridcell').locator('a').first().press('Control+a')
  await expect(select(page).getByRole('button', { name: 'Download as ZIP' })).toBeVisible()
  await expect(select(page).getByRole('button', { name: 'Share' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Shares' })).toHaveCount(0)
  await page.goto(`/assets/${gaid}`)
  await page.locator('[data-viewer]').getByRole('button', { name: 'More' }).click()
  await expect(page.getByRole('menuitem', { name: 'Copy link' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Share…' })).toHaveCount(0)
  await page.goto('/collections/1')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Spring')
  await expect(page.getByRole('button', { name: 'Actions for Spring' })).toHaveCount(0)
  await page.goto('/shares')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('You don’t have permission to share')
  await expectAccessible(page)
})

test('a share that is not there says so', async ({ page, as, expectErrors }) => {
  expectErrors(/status of 4(04|22)/)
  await as('editor')
  for (const id of ['999', 'none', '0']) {
    await page.goto(`/shares/${id}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Share not found')
  }
})
