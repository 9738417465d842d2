import { expect, expectAccessible, expectFits, phone, type Role, tablet, test } from './kit'

test.beforeAll(async ({ library }) => {
  await library.pictures(6)
  await library.api('POST', '/collections', { name: 'Spring' })
})

const pages: [path: string, role: Role][] = [
  ['/', 'editor'],
  ['/?view=table', 'viewer'],
  ['/collections', 'editor'],
  ['/collections', 'viewer'],
  ['/collections/1', 'editor'],
  ['/collections/1', 'viewer'],
  ['/duplicates', 'editor'],
  ['/folders', 'editor'],
  ['/shares', 'editor'],
  ['/trash', 'editor'],
  ['/operations', 'editor'],
  ['/account', 'viewer'],
  ['/admin/users', 'admin'],
  ['/admin/fields', 'admin'],
  ['/admin/vocabularies', 'admin'],
  ['/admin/classes', 'admin'],
  ['/admin/webhooks', 'admin'],
  ['/admin/audit', 'admin'],
  ['/admin/status', 'admin'],
]

for (const [path, role] of pages) {
  test(`${path} for the ${role} has a title and one heading, is accessible, and fits every screen`, async ({
    page,
    as,
  }) => {
    await as(role)
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expect(page.getByRole('status').filter({ hasText: '…' })).toHaveCount(0) // nothing loads any more
    await expect(page).toHaveTitle(/dal/)
    await expectAccessible(page)
    for (const size of [tablet, phone]) {
      await page.setViewportSize(size)
      await expectFits(page)
    }
    await expectAccessible(page)
  })
}

test('on a phone the row of the administration begins where one is', async ({ page, as }) => {
  await page.setViewportSize(phone)
  await as('admin')
  await page.goto('/admin/audit')
  await expect(page.getByRole('link', { name: 'Audit log' })).toBeInViewport()
  await page.goto('/admin/users')
  await expect(page.getByRole('link', { name: 'Users' })).toBeInViewport()
})

// A role finds no place that it may not use, neither in the menu nor by an address.
for (const role of ['viewer', 'editor'] as const) {
  test(`the administration is not for the ${role}`, async ({ page, as, expectErrors }) => {
    expectErrors(/ 403 /)
    await as(role)
    await page.goto('/')
    await expect(page.getByRole('link', { name: 'Administration' })).toHaveCount(0)
    for (const path of ['/admin/users', '/admin/audit', '/admin/status']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
      await expect(page.getByRole('table')).toHaveCount(0)
    }
  })
}
