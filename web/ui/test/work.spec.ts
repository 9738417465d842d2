import { test as base, expect, expectAccessible, expectFits, type Page, phone, Server } from './kit'
import { Receiver } from './receiver'

const many = 4000

/** A library of so many assets that work on them takes a while, which may send webhooks to this machine. */
const test = base.extend<object, { receiver: Receiver; library: Server }>({
  receiver: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
    async ({}, use) => {
      const receiver = new Receiver()
      await receiver.start()
      await use(receiver)
      receiver.stop()
    },
    { scope: 'worker' },
  ],
  library: [
    async ({ receiver }, use) => {
      const library = new Server()
      library.dal(['bench', 'seed', '--assets', String(many)])
      library.people('admin', 'editor', 'viewer')
      const ca = ['--webhook-ca-file', receiver.certificate]
      await library.start('--webhook-allow-cidr', '127.0.0.0/8', ...ca)
      await use(library)
      await library.remove()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
})

let gaids: string[] = []
test.beforeAll(async ({ library }) => {
  gaids = await library.pictures(4)
  const titles = ['Vanished lighthouse', 'Quiet lighthouse', 'Stormy lighthouse', 'Painted lighthouse']
  for (const [i, gaid] of gaids.entries()) await library.api('PUT', `/assets/${gaid}`, { title: titles[i] })
})

const hamburg = { place: 'Hamburg', latitude: 53.5413, longitude: 9.9841 }
const everything = { filters: { type: 'group', operator: 'and', rules: [] } }
const cells = (page: Page) => page.getByRole('gridcell').locator('a')
const asset = async (library: Server, i: number) =>
  (await library.api('GET', `/assets/${gaids[i]}?trashed=with`)).data

test('work on many assets is followed, and cancelled while it goes on', async ({ page, as, library }) => {
  await as('admin')
  await page.goto('/operations')
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible()
  const changes = { creator: 'Nobody' }
  const path = { type: 'bulk_update', selection: everything, changes }
  const { id } = (await library.api('POST', '/operations', path)).data
  const cancel = page.getByRole('main').getByRole('button', { name: 'Cancel: Edit' })
  await expect(page.getByRole('main').getByRole('progressbar', { name: 'Edit' })).toBeVisible()
  await cancel.click()
  await expect(page.getByRole('main').getByText(/^Cancelled · /)).toBeVisible()
  await expect(cancel).toHaveCount(0)
  await expect(page.getByRole('alertdialog', { name: 'Edit: Cancelled' })).toBeVisible()
  const { progress, state } = (await library.api('GET', `/operations/${id}`)).data
  expect(state).toBe('cancelled')
  expect(progress.done).toBeLessThan(progress.total)
  await page.getByRole('main').getByRole('link', { name: 'Edit' }).first().click()
  await page.getByRole('button', { name: /Result/ }).click()
  await expectAccessible(page)
  await page.getByRole('option', { name: 'All' }).click()
  await expect(page.getByRole('table', { name: 'Results' })).toBeVisible()
})

test('an edit is looked at before it is made, and its outcome afterwards', async ({ page, as, library }) => {
  const { id } = (await library.api('POST', '/asset-classes', { name: 'Press' })).data
  await library.api('POST', '/metadata/fields', { key: 'budget', label: 'Budget', type: 'number' })
  await library.api('PUT', `/assets/${gaids[1]}`, {
    asset_class_id: id,
    metadata: { budget: 12.5 },
    location: hamburg,
  })
  await as('editor')
  await page.goto('/?q=title:lighthouse')
  await expect(cells(page)).toHaveCount(4)
  await cells(page).first().focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit 4' })
  await dialog.getByRole('button', { name: /Class$/ }).click()
  await page.getByRole('option', { name: 'Press' }).click()
  await dialog.getByLabel('Budget', { exact: true }).fill('12.5')
  await dialog.getByRole('textbox', { name: 'Location' }).fill('Hamburg')
  await dialog.getByLabel('Coordinates').fill('53.5413, 9.9841')
  await dialog.getByRole('button', { name: 'Preview changes' }).click()
  await expect(dialog.getByText('3 will change. 1 already have these values.')).toBeVisible()
  const item = dialog.getByRole('listitem').filter({ hasText: 'Quiet' })
  await expect(item).toHaveCount(0)
  const stormy = dialog.getByRole('listitem').filter({ hasText: 'Stormy lighthouse' })
  await expect(stormy).toContainText('Press') // its name, not its number
  await expect(stormy).toContainText('Budget(empty) → 12.5')
  await expectAccessible(page)
  expect((await asset(library, 2)).asset_class_id).not.toBe(id) // nothing has changed yet
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await dialog.getByRole('button', { name: 'Change 3' }).click()
  await expect(page.getByText('3 changed.')).toBeVisible()
  await expect(dialog).toBeHidden()
  expect(await asset(library, 2)).toMatchObject({
    asset_class_id: id,
    metadata: { budget: 12.5 },
    location: hamburg,
  })
  await page.getByRole('button', { name: /^Operations/ }).click()
  const tray = page.getByRole('dialog', { name: 'Operations' })
  await tray.getByRole('link', { name: 'Edit' }).first().click()
  await expect(page.getByText('1 unchanged')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Results' }).getByRole('link')).toHaveCount(4)
})

test('a selection is downloaded as a ZIP file', async ({ page, as }) => {
  await as('viewer')
  await page.goto('/?q=title:lighthouse')
  await expect(cells(page)).toHaveCount(4)
  await cells(page).first().focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('button', { name: 'Download as ZIP' }).click()
  const ready = page.getByRole('alertdialog', { name: 'The ZIP file is ready.' })
  const download = page.waitForEvent('download')
  await ready.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.zip$/)
  const again = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Operations/ }).click()
  await page.getByRole('dialog', { name: 'Operations' }).getByRole('link', { name: 'Download' }).click()
  expect((await again).suggestedFilename()).toMatch(/\.zip$/)
})

test('what is in the trash is found there, brought back, and deleted for good', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 404 /)
  await library.api('DELETE', `/assets/${gaids[0]}`)
  await as('editor')
  await page.goto('/?q=title:vanished')
  await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible()
  await page.getByRole('link', { name: /in the trash 1$/ }).click()
  await expect(page).toHaveURL(/\/trash\?q=/)
  await expect(cells(page)).toHaveCount(1)
  await cells(page).first().focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('1 restored.')).toBeVisible()
  await expect(cells(page)).toHaveCount(0)
  expect((await asset(library, 0)).deleted_at).toBeNull()
  await page.getByRole('alertdialog', { name: '1 restored.' }).getByRole('button', { name: 'Undo' }).click()
  await expect(cells(page)).toHaveCount(1)
  await cells(page).first().click()
  await expect(page.getByText('This asset is in the trash.')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await cells(page).first().focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page
    .getByRole('dialog', { name: 'Delete 1 permanently?' })
    .getByRole('button', { name: 'Cancel' })
    .click()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByRole('button', { name: 'Delete 1 permanently' }).click()
  await expect(page.getByText('1 deleted permanently.')).toBeVisible()
  await expect(cells(page)).toHaveCount(0)
  await expect(asset(library, 0)).rejects.toThrow('404')
})

test('a webhook is delivered, fails, and is sent again', async ({ page, as, library, receiver }) => {
  await as('admin')
  await page.goto('/admin/webhooks')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('URL').fill(receiver.url)
  await dialog.getByText('Everything, including').click()
  await dialog.getByRole('group', { name: 'Assets' }).getByText('changed').click()
  await dialog.getByRole('button', { name: 'New webhook' }).click()
  const secret = await dialog.getByLabel('The secret').inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.getByText('The test arrived.')).toBeVisible()
  expect(receiver.received.map(r => r.type)).toEqual(['webhook.test'])
  expect(receiver.signedWith(secret)).toBe(true)
  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  await expect(deliveries.getByRole('row').filter({ hasText: 'webhook.test' })).toContainText('Delivered204')

  receiver.status = 500
  await library.api('PUT', `/assets/${gaids[3]}`, { creator: 'Ada' })
  await expect.poll(() => receiver.received.at(-1)?.type).toBe('asset.updated')
  await page.reload()
  const failed = deliveries.getByRole('row').filter({ hasText: 'asset.updated' })
  await expect(failed).toContainText('Will be retried500')
  await failed.getByRole('button', { name: 'Details: asset.updated' }).click()
  await expect(dialog).toContainText('Next attempt')
  await expect(dialog).toContainText('out of order')
  await expectAccessible(page)
  receiver.status = 204
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await expect(page.getByText('Sending again.')).toBeVisible()
  await expect(failed.first()).toContainText('Delivered204')
  expect(receiver.signedWith(secret)).toBe(true)

  await page.getByRole('button', { name: 'New secret' }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'New secret' }).click()
  await expect(dialog.getByLabel('The secret')).not.toHaveValue(secret)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await expect(dialog.getByLabel('URL')).toHaveValue(receiver.url)
  await expectAccessible(page)
  await dialog.getByLabel('Description').fill('The press office')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The press office')).toBeVisible()
  receiver.status = 410
  await page.getByRole('button', { name: 'Send a test' }).click()
  await expect(page.getByText(/^The test failed/)).toBeVisible()
})
