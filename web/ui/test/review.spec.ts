import { expect, expectAccessible, expectFits, phone, test } from './kit'

test.beforeAll(async ({ library }) => {
  await library.pictures(3)
})

test('guests pick, rate and comment, and the owner sees it and finds what they picked', async ({
  page,
  as,
  expectErrors,
}) => {
  test.slow() // axe looks at it in light and in dark, on a desk and on a phone
  expectErrors(/status of 422/)
  await as('editor')
  await page.goto('/')
  await page.getByRole('gridcell').locator('a').first().press('Control+a')
  await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share 3' })
  await dialog.getByLabel('Name', { exact: true }).fill('Your choice')
  await dialog.getByText('Ask guests to pick favorites').click()
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const url = await page.getByRole('textbox', { name: 'Link' }).inputValue()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Shares' }).click()
  await page.getByRole('link', { name: 'Your choice' }).click()
  await expect(page.getByText('No feedback yet.')).toBeVisible()
  const own = page.url()

  // A browser without an account and without JavaScript; axe needs it, so it looks at the pages in this one.
  const browser = page.context().browser()
  if (!browser) throw new Error('there is no browser')
  const context = await browser.newContext({ javaScriptEnabled: false })
  const guest = await context.newPage()
  await guest.goto(url)
  const item = guest.getByRole('listitem').first()
  const pick = item.getByRole('button')
  await pick.click()
  await expect(pick).toHaveAttribute('aria-pressed', 'true')
  await item.getByRole('link').click()
  await guest.getByLabel('4', { exact: true }).check()
  await guest.getByLabel('Comment').fill('The light!\nMore of it.')
  await guest.getByLabel('Your name').fill('Bo Ek')
  await guest.getByRole('button', { name: 'Save' }).click()
  await expect(guest.getByLabel('4', { exact: true })).toBeChecked()
  await guest.getByRole('link', { name: 'All files' }).click()
  await expect(item).toContainText('Rated 4 of 5 · Commented')
  await context.close()

  await page.goto(url)
  await expect(page.getByText('Rated 4 of 5')).toHaveCount(0)
  await page.getByRole('button', { name: /^Pick/ }).nth(1).click()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.getByRole('listitem').first().getByRole('link').click()
  await page.getByLabel('Comment').fill('hidden \u202e')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toHaveText('The comment has invisible characters.')
  await expectFits(page)
  await expectAccessible(page)

  await page.goto(own)
  await expect(page.getByRole('table', { name: 'Feedback' }).getByRole('row')).toHaveCount(3) // with the head
  const row = page.getByRole('row', { name: /4 of 5/ })
  await row.getByText('1 comment').click()
  await expect(row).toContainText('Bo Ek')
  await expect(row).toContainText('More of it.')
  const csv = await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href')
  expect(await (await page.request.get(csv ?? '')).text()).toContain('"The light!\r\nMore of it."')
  await expectFits(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('link', { name: 'Show picked assets' }).click()
  await expect(page.getByText('Picked by guests of: Your choice')).toBeVisible()
  await expect(page.getByRole('gridcell')).toHaveCount(2)
})
