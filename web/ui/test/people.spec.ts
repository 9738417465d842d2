import { email, expect, expectAccessible, expectFits, password, phone, test } from './kit'

test('terms of use are accepted after signing in, and again when they change', async ({
  page,
  library,
  expectErrors,
}) => {
  expectErrors(/401/, /403/, /409/)
  library.dal(['terms', 'set', '-'], `Be nice.\n\n${'A line of the terms.\n'.repeat(80)}`)
  await page.goto(`${library.url}/collections`)
  await page.getByLabel('Email').fill(email('editor'))
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Terms of use' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Terms of use' })).toContainText('Be nice.')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  // New terms while the old ones are read.
  library.dal(['terms', 'set', '-'], 'Be very nice.\n')
  await page.getByRole('button', { name: 'Accept' }).click()
  await expect(page.getByText('The terms were changed again')).toBeVisible()
  await page.getByRole('button', { name: 'Accept' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Collections' })).toBeVisible()

  // New terms in the middle of something: what was typed is still there, and done once they are accepted.
  await page.getByRole('button', { name: 'New collection' }).first().click()
  await page.getByLabel('Name').fill('Harbour')
  library.dal(['terms', 'set', '-'], 'Be even nicer.\n')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'The terms of use have changed' })
  await expect(dialog.getByText('Be even nicer.')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Accept' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('Harbour').first()).toBeVisible()

  library.dal(['terms', 'set', '-'], 'The last word.\n')
  await page.reload()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Sign in' })).toBeVisible()
  library.dal(['terms', 'clear'])
})

test('consents are listed, filtered and downloaded', async ({ page, library, as }) => {
  await as('admin')
  await page.goto(`${library.url}/admin/consents`)
  await expect(page.getByRole('heading', { level: 1, name: 'Consents' })).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(3)
  await expectAccessible(page)
  await page.getByLabel('Version').fill('2')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('row')).toHaveCount(2)
  const csv = await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href')
  const table = await (await page.request.get(`${library.url}${csv}`)).text()
  expect(table.trim().split('\r\n')).toHaveLength(2)
  expect(table).toContain(`Editor,${email('editor')},false,2,`)
  await page.getByRole('button', { name: 'Details of consent' }).click()
  await expect(page.getByRole('region', { name: 'Text that was accepted' })).toHaveText('Be very nice.')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.keyboard.press('Escape')
  await expectAccessible(page)
})
