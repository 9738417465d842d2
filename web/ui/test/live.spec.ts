import { expect, expectAccessible, expectFits, type Page, phone, test } from './kit'

test.beforeAll(async ({ library }) => {
  await library.stop()
  await library.start('--webhook-allow-cidr', '127.0.0.0/8')
})

/** Looks at a page in a wide window and on a phone. */
async function expectGood(page: Page) {
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })
}

test('what others change is shown as it happens', async ({ page, as, library }) => {
  await library.pictures(3)
  await as('viewer')
  await page.goto('/collections')
  await expect(page.getByRole('heading', { level: 1, name: 'Collections' })).toBeVisible()
  await library.api('POST', '/collections', { name: 'Ships' })
  await expect(page.getByRole('link', { name: /Ships/ }).first()).toBeVisible()
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
  await library.stop()
  await library.start('--webhook-allow-cidr', '127.0.0.0/8')
  await library.api('POST', '/collections', { name: 'Lighthouses' })
  await expect(page.getByRole('link', { name: /Lighthouses/ }).first()).toBeVisible({ timeout: 20_000 })
})

test('operations are announced, and say what became of each asset', async ({ page, as, library }) => {
  const [one, two] = await library.pictures(4)
  await as('admin')
  await page.goto('/operations')
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
  const selection = { gaids: [one, two, '01AAAAAAAAAAAAAAAAAAAAAAAA'] }
  await library.api('POST', '/operations', { type: 'bulk_update', selection, changes: { creator: 'Ada' } })
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Edit' })).toBeVisible()
  await expect(page.getByText('Done, with errors').first()).toBeVisible()
  const outcomes = page.getByRole('table', { name: 'Results' })
  await expect(outcomes).toContainText('Asset not found.')
  await page.getByRole('button', { name: /Result/ }).click()
  await page.getByRole('option', { name: 'Done' }).click()
  await expect(outcomes.getByRole('link', { name: 'picture-1' })).toHaveAttribute('href', `/assets/${one}`)
  await expectGood(page)
  await page.getByRole('link', { name: 'Operations' }).first().click()
  await expect(page.getByRole('list', { name: 'Operations' })).toContainText('1 failed')
  await expectGood(page)
})

test('what changes before the stream opens is shown', async ({ page, as, library }) => {
  await library.api('POST', '/collections', { name: 'Piers' })
  await as('viewer')
  let open = () => {}
  const held = new Promise<void>(done => (open = done))
  await page.route('**/api/v1/stream*', async route => {
    await held
    await route.continue()
  })
  await page.goto('/collections')
  await expect(page.getByRole('link', { name: /Piers/ }).first()).toBeVisible() // the list has been read
  await library.api('POST', '/collections', { name: 'Jetties' })
  open()
  await expect(page.getByRole('link', { name: /Jetties/ }).first()).toBeVisible()
})

test('what changes while a list is read is shown', async ({ page, as, library }) => {
  const [one] = await library.pictures(1)
  await as('admin')
  let answer = () => {}
  const held = new Promise<void>(done => (answer = done))
  let read = () => {}
  const isRead = new Promise<void>(done => (read = done))
  await page.route(
    '**/api/v1/operations?per_page=10',
    async route => {
      const old = await route.fetch()
      read()
      await held
      await route.fulfill({ response: old })
    },
    { times: 1 },
  )
  await page.goto('/collections')
  await isRead
  const told = await page.evaluateHandle(async () => {
    const stream = new EventSource('/api/v1/stream')
    const ended = new Promise<void>(done => {
      stream.addEventListener('operation', e => JSON.parse(e.data).status === 'completed' && done())
    })
    await new Promise(done => stream.addEventListener('open', done))
    return { ended }
  })
  await library.api('POST', '/operations', { type: 'export', selection: { gaids: [one] }, format: 'csv' })
  await told.evaluate(t => t.ended)
  answer()
  await page.getByRole('button', { name: /^Operations/ }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Operations' })
  await expect(dialog.getByRole('listitem').first()).toContainText('Export')
})

test('an export can be fetched from the list behind the button', async ({ page, as, library }) => {
  const [one] = await library.pictures(1)
  await as('admin')
  await page.goto('/collections')
  await library.api('POST', '/operations', { type: 'export', selection: { gaids: [one] }, format: 'csv' })
  await page.getByRole('button', { name: /^Operations/ }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Operations' })
  const link = dialog.getByRole('link', { name: 'Download' }).first()
  await expect(link).toBeVisible()
  await expectAccessible(page)
  const download = page.waitForEvent('download')
  await link.click()
  expect((await download).suggestedFilename()).toMatch(/\.csv$/)
})

test('a webhook is made, tried, paused and deleted', async ({ page, as, expectErrors }) => {
  expectErrors(/ 422 /)
  await as('admin')
  await page.goto('/admin/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill('http://127.0.0.1:9/hook')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('URL')).toHaveAccessibleDescription(/https/)
  await dialog.getByLabel('URL').fill('https://127.0.0.1:9/hook')
  await dialog.getByText('Everything, including').click()
  await dialog.getByRole('group', { name: 'Assets' }).getByText('created').click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'New webhook' }).click()
  await expect(dialog.getByLabel('The secret')).toHaveValue(/^whsec_/)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('table', { name: 'Webhooks' })).toContainText('asset.created')
  await expectGood(page)

  await page.getByRole('link', { name: 'https://127.0.0.1:9/hook' }).click()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.getByText(/The test failed/)).toBeVisible()
  await page.getByRole('button', { name: 'Details: webhook.test' }).click()
  await expect(page.getByRole('dialog')).toContainText('Attempt 1')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Details: webhook.test' })).toBeFocused()
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByRole('button', { name: 'Resume' }).first()).toBeVisible()
  await expectGood(page)
  await page.getByRole('button', { name: 'Delete' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No webhooks yet')).toBeVisible()
})

test('the audit log is read and filtered', async ({ page, as, library }) => {
  library.dal(['user', 'invite', 'viewer@example.com'])
  await as('admin')
  await page.goto('/admin/audit')
  const table = page.getByRole('table', { name: 'Audit log' })
  await expect(table).toContainText('Signed in')
  await expect(table).toContainText('Admin')
  await expectGood(page)
  await page.getByRole('button', { name: /Event/ }).click()
  await page.getByRole('option', { name: 'User invited' }).click()
  await expect(table.getByRole('row')).toContainText(['', 'User invited'])
  await page.getByRole('button', { name: /Event/ }).click()
  await page.getByRole('option', { name: 'User created' }).click()
  await expect(table).not.toContainText('Signed in')
  await expect(page).toHaveURL(/event=user\.created/)
  await page
    .getByRole('button', { name: /Details of entry/ })
    .first()
    .click()
  await expect(page.getByRole('dialog')).toContainText('Command line')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.getByLabel('User', { exact: true }).fill('edi')
  await page.getByRole('option', { name: 'Editor' }).click()
  await expect(page).toHaveURL(/user_id=\d+/)
  await expect(page.getByRole('row', { name: 'Editor' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.getByLabel('Status').fill('404')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/status=404/)
})

test('the status says what to do, in both languages', async ({ page, as, library }) => {
  await library.pictures(1)
  await as('admin')
  await page.goto('/admin/status')
  await expect(page.getByText('No backup has ever been made.')).toBeVisible()
  await expect(page.getByText(/dal backup TARGET/)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Disk' })).toContainText('Originals')
  await expectGood(page)
  await page.getByRole('button', { name: 'Admin', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Deutsch' }).click()
  await expect(page.getByText('Es gibt noch kein Backup.')).toBeVisible()
  await expect(page).toHaveTitle(/Status/)
})

test('editors have operations, and no administration', async ({ page, as, expectErrors }) => {
  expectErrors(/ 404 /)
  await as('editor')
  await page.goto('/admin/status')
  await expect(page.getByText('For admins only')).toBeVisible()
  await page.goto('/operations/999999')
  await expect(page.getByText('Operation not found')).toBeVisible()
})
