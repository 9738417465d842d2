import { expect, expectAccessible, expectFits, phone, picture, test } from './kit'

test('somebody asks for files; a guest hands them in, with the script and without', async ({
  page,
  as,
  browser,
  expectErrors,
}) => {
  test.slow() // axe looks at it in light and in dark
  expectErrors(/ 422 /)
  await as('editor')
  await page.goto('/shares')
  await page.getByRole('button', { name: 'Request files' }).click()
  const dialog = page.getByRole('dialog', { name: 'Request files' })
  await dialog.getByLabel('Name', { exact: true }).fill('Your pictures')
  await dialog.getByLabel('Maximum files').fill('2')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const made = page.getByRole('dialog', { name: 'Share link' })
  const url = await made.getByRole('textbox', { name: 'Link' }).inputValue()
  await made.getByRole('button', { name: 'Close' }).click()

  const file = (name: string, seed: number) => ({
    name,
    mimeType: 'image/png',
    buffer: picture(seed, 64, 48),
  })
  const context = await browser.newContext()
  const guest = await context.newPage()
  await guest.goto(url)
  await expect(guest.getByText('No uploads yet.')).toBeVisible()
  await expectAccessible(guest)
  await guest
    .getByLabel('Choose files')
    .setInputFiles([file('one.png', 1), file('two.png', 2), file('three.png', 3)])
  await guest.getByRole('button', { name: 'Upload' }).press('Enter')
  const refused = guest.getByRole('list', { name: 'Uploading' }).getByRole('listitem')
  await expect(refused.filter({ hasText: 'three.png' })).toContainText('up to 2 files') // in their order
  const mine = guest.getByRole('list', { name: 'Your uploads' }).getByRole('listitem')
  await expect(mine).toHaveCount(2)
  await expect(mine.getByText('Accepted')).toHaveCount(2)
  await expect(guest.getByRole('status')).toHaveText('All files were accepted. Rejected: 1.')
  await guest.setViewportSize(phone)
  await expectFits(guest)
  await expectAccessible(guest)
  await context.close()

  const plain = await browser.newContext({ javaScriptEnabled: false, locale: 'de-DE' })
  const other = await plain.newPage()
  await other.goto(url)
  await other.getByLabel('Dateien auswählen').setInputFiles([file('four.png', 4)])
  await other.getByRole('button', { name: 'Hochladen' }).click()
  await expect(other.getByRole('alert')).toContainText('Sie können bis zu 2 Dateien hochladen.')
  await plain.close()

  await page.getByRole('list', { name: 'Shares' }).getByRole('link', { name: 'Your pictures' }).click()
  const table = page.getByRole('table', { name: 'Guest uploads' })
  await expect(table.getByRole('row')).toHaveCount(3) // with the head
  await expect(table.getByRole('row', { name: /one\.png/ })).toContainText('In review')
  await expectAccessible(page)
})
