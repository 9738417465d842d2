import { createHash, randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, expectAccessible, expectFits, phone, picture, test } from './kit'
import { pick, png, row, tray } from './tray'

test.describe.configure({ timeout: 60_000 })

test('files go in, duplicates lead to what is there, and failures say why', async ({ page, as }) => {
  await as('editor')
  await page.goto('/')
  await pick(page, [
    png('one.png', 1),
    png('two.png', 2),
    { name: 'letter.sh', mimeType: 'text/x-sh', buffer: Buffer.from('#!/bin/sh\n') },
  ])
  await expect(row(page, 'one.png')).toContainText('In the library')
  await expect(row(page, 'letter.sh')).toContainText('--allow-programs')
  await expect(tray(page).getByRole('heading')).toHaveText('1 of 3 failed')
  await expect(tray(page).getByRole('listitem').first()).toContainText('letter.sh') // what failed is on top
  await pick(page, png('copy of one.png', 1))
  await expect(row(page, 'copy of one.png')).toContainText('Already in the library')
  await tray(page).getByRole('button', { name: 'Problems only' }).click()
  await expect(row(page, 'one.png')).toHaveCount(0)
  await expectAccessible(page)
  await tray(page).getByRole('button', { name: 'Problems only' }).click()
  await row(page, 'copy of one.png').getByRole('link').click()
  await expect(page).toHaveURL(/\/assets\/[0-9A-Z]{26}/)
  await page.goBack()
  await tray(page).getByRole('button', { name: 'Minimise' }).focus()
  await page.keyboard.press('Enter')
  await expect(tray(page).getByRole('button', { name: /Show the uploads/ })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(tray(page).getByRole('button', { name: 'Minimise' })).toBeFocused()
  await tray(page).getByRole('button', { name: 'Close' }).click()
  await expect(tray(page)).toHaveCount(0)
})

test('a large upload is paused, survives a reload and the death of the server, and arrives whole', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ERR_CONNECTION|Failed to load resource|net::ERR|EventSource/)
  await as('editor')
  await page.goto('/')
  page.on('dialog', d => void d.accept())
  // What follows the end of a PNG is not looked at.
  const bytes = Buffer.concat([picture(3, 40, 40), randomBytes(100 << 20)])
  const file = join(tmpdir(), `dal-ui-large-${process.pid}.png`)
  writeFileSync(file, bytes)
  const slow = await page.context().newCDPSession(page)
  const rate = async (bytes: number) =>
    await slow.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytes,
    })
  await slow.send('Network.enable')
  await rate(8 << 20)
  await pick(page, file)
  await expect(row(page, '.png')).toContainText(/^(?!.*0 bytes).*MB of 105 MB/)
  await expect(page).toHaveTitle(/^\d+% · /)
  await row(page, '.png')
    .getByRole('button', { name: /^Pause .*png/ })
    .click()
  await expect(row(page, '.png')).toContainText('Paused')
  await row(page, '.png')
    .getByRole('button', { name: /^Resume .*png/ })
    .click()
  await expect(row(page, '.png')).toContainText('MB of 105 MB')
  await page.reload()
  await expect(row(page, '.png')).toContainText('Choose the file again')
  await expect(tray(page)).toContainText('Choose or drop it again')
  await expectAccessible(page)
  await slow.send('Network.enable')
  await rate(8 << 20)
  const heads: string[] = []
  page.on('response', r => {
    if (r.request().method() === 'HEAD') heads.push(r.headers()['upload-offset'] ?? '')
  })
  await tray(page).locator('input[type=file]').setInputFiles(file)
  await expect(row(page, '.png')).toContainText('MB of 105 MB')
  expect(Number(heads[0])).toBeGreaterThan(0)
  await library.kill()
  await expect(tray(page)).toContainText('The server cannot be reached')
  await library.start()
  await rate(-1)
  await expect(row(page, '.png')).toContainText('In the library', { timeout: 45_000 })
  rmSync(file)
  const sum = createHash('sha256').update(bytes).digest('hex')
  const found = (await library.api('GET', '/assets?per_page=100')).data
  expect(found.map((a: { checksum_sha256: string }) => a.checksum_sha256)).toContain(sum)
})

test('the settings give a class, a collection and required fields, by keyboard', async ({
  page,
  as,
  library,
}) => {
  test.slow()
  const { id } = (await library.api('POST', '/asset-classes', { name: 'Campaign' })).data
  await library.api('POST', '/metadata/fields', {
    key: 'project',
    label: 'Project',
    type: 'text',
    is_required: true,
    asset_class_ids: [id],
  })
  await library.api('POST', '/collections', { name: 'Harbours' })
  await as('admin')
  await page.goto('/')
  await page.getByRole('button', { name: 'Upload', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Upload settings' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Upload settings' })
  await dialog.getByRole('button', { name: /Asset class/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'Campaign' }).press('Enter')
  await dialog.getByRole('textbox', { name: 'Project' }).fill('Apollo')
  await dialog.getByRole('combobox', { name: 'Collections' }).fill('Harb')
  await expect(page.getByRole('option', { name: 'Harbours' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('row', { name: 'Harbours' })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(dialog).toHaveCount(0)
  await pick(page, png('apollo.png', 4))
  await expect(row(page, 'apollo.png')).toContainText('In the library')
  const gaid = (await library.api('GET', '/assets?q=apollo')).data[0].gaid
  const asset = (await library.api('GET', `/assets/${gaid}`)).data
  expect(asset.metadata).toEqual({ project: 'Apollo' })
  expect(asset.asset_class_id).toBe(id)
  expect(asset.collections[0].name).toBe('Harbours')
})

test('on a phone the tray is small, and viewers upload nothing', async ({ page, as }) => {
  await page.setViewportSize(phone)
  await as('editor')
  await page.goto('/')
  await pick(page, png('phone.png', 5))
  const pill = tray(page).getByRole('button', { name: /Show the uploads/ })
  await expect(pill).toContainText('1 done')
  await expectFits(page)
  await pill.click()
  await expect(row(page, 'phone.png')).toContainText('In the library')
  await expectAccessible(page)
  await as('viewer')
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Viewer' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Upload', exact: true })).toHaveCount(0)
})

// The last one: after so many files the browser may take long to open another page.
test('75,000 files are taken without freezing, and can be given up', async ({ page, as, expectErrors }) => {
  test.setTimeout(180_000) // the wait for all the files alone takes a minute on a busy machine
  expectErrors(/ERR_FAILED/)
  await as('editor')
  await page.goto('/')
  // Before, nothing is there to take a drop.
  await expect(page.getByRole('button', { name: 'Upload', exact: true })).toBeVisible()
  await page.route('**/upload-batches', r => r.abort())
  await page.evaluate(() => {
    const of = window as unknown as { longest: number }
    of.longest = 0
    new PerformanceObserver(list => {
      for (const e of list.getEntries()) of.longest = Math.max(of.longest, e.duration)
    }).observe({ type: 'longtask' })
    // A folder as the browser hands it over: a hundred entries at a time.
    const entry = (i: number) => ({
      isFile: true,
      name: `picture ${i}.jpg`,
      fullPath: `/holiday/picture ${i}.jpg`,
      file: (ok: (f: File) => void) => ok(new File(['x'], `picture ${i}.jpg`)),
    })
    let next = 0
    const reader = {
      readEntries: (ok: (some: unknown[]) => void) =>
        setTimeout(() => ok(Array.from({ length: next < 75_000 ? 100 : 0 }, () => entry(next++)))),
    }
    const folder = { isFile: false, name: 'holiday', fullPath: '/holiday', createReader: () => reader }
    const dataTransfer = { types: ['Files'], items: [{ webkitGetAsEntry: () => folder }] }
    const drop = new Event('drop', { bubbles: true, cancelable: true })
    document.body.dispatchEvent(Object.assign(drop, { dataTransfer }))
  })
  await expect(tray(page).getByRole('heading')).toHaveText('0 of 75,000 done', { timeout: 110_000 })
  expect(await tray(page).getByRole('listitem').count()).toBeLessThan(30)
  await tray(page)
    .getByRole('region', { name: 'Files' })
    .evaluate(box => box.scrollTo(0, box.scrollHeight))
  await expect(row(page, 'picture 74999.jpg')).toBeVisible()
  const longest = await page.evaluate(() => (window as unknown as { longest: number }).longest)
  console.log(`the longest task took ${longest} ms`)
  await tray(page).getByRole('button', { name: 'Stop all uploads' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await expect(tray(page)).toHaveCount(0)
})
