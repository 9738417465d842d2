import { expect, expectAccessible, test } from './kit'

test('the audit log opens on sign-ins and changes', async ({ page, as, library }) => {
  test.slow() // axe looks at it in light and in dark
  await library.api('POST', '/collections', { name: 'Harbours' })
  await as('admin')
  await page.goto('/admin/audit')
  const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await expect(rows.filter({ hasText: 'POST /api/v1/collections' })).toHaveCount(1)
  await expect(rows.filter({ hasText: 'Signed in' })).not.toHaveCount(0)
  await expect(rows.filter({ hasText: 'GET /' })).toHaveCount(0)
  await page.getByRole('button', { name: /Show/ }).click()
  await page.getByRole('option', { name: 'Everything, including reads' }).click()
  await expect(rows.filter({ hasText: 'GET /' })).not.toHaveCount(0)
  await expectAccessible(page)
})

test('the status page names queues and models in words', async ({ page, as, library }) => {
  const { queues } = (await library.api('GET', '/status')).data
  await as('admin')
  await page.goto('/admin/status')
  const table = page.getByRole('table', { name: 'Background jobs' })
  await expect(table.getByRole('row')).toHaveCount(queues.length + 1)
  const names = await table.getByRole('row').locator(':nth-child(1)').allInnerTexts()
  for (const { name } of queues) expect(names).not.toContain(name)
  await expect(page.getByRole('main')).not.toContainText('use-lite-en')
})
