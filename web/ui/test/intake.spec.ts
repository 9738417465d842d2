import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, expectAccessible, expectFits, type Page, phone, picture, type Server, test } from './kit'
import { pick, png, row, tray } from './tray'

test.beforeAll(async ({ library }) => {
  await library.stop()
  await library.start('--max-file-size', '8MB')
})

const collection = async (library: Server, name: string): Promise<number> =>
  (await library.api('POST', '/collections', { name })).data.id
const named = async (library: Server, name: string) =>
  (await library.api('GET', `/collections?q=${name}`)).data
const files = async (library: Server, id: number) =>
  (await library.api('GET', `/collections/${id}/assets`)).data.map((a: { title: string }) => a.title).sort()

test('a picture that is pasted on a collection’s page goes into the collection', async ({
  page,
  as,
  library,
}) => {
  const id = await collection(library, 'Sketches')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await as('editor')
  await page.goto(`/collections/${id}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Sketches' })).toBeVisible()
  await page.evaluate(
    async text => {
      const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0))
      await navigator.clipboard.write([
        new ClipboardItem({ 'image/png': new Blob([bytes], { type: 'image/png' }) }),
      ])
    },
    picture(70, 60, 40).toString('base64'),
  )
  await page.keyboard.press('ControlOrMeta+v')
  await expect(row(page, 'image.png')).toContainText('In the library')
  await expect(page.getByRole('gridcell').getByRole('img', { name: /^image,/ })).toBeVisible()
})

/** Drops files of folders as the browser hands them over. */
async function drop(page: Page, ...paths: [path: string, data: Buffer][]) {
  const given = paths.map(([path, data]) => ({ path, text: data.toString('base64') }))
  await page.evaluate(all => {
    const fileOf = ({ path, text }: { path: string; text: string }) => {
      const name = path.split('/').at(-1) ?? ''
      const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0))
      const file = (ok: (f: File) => void) => ok(new File([bytes], name, { type: 'image/png' }))
      return { isFile: true, name, fullPath: `/${path}`, file }
    }
    const folder = (path: string): unknown => {
      const inside = all.filter(f => f.path.startsWith(`${path}/`))
      const names = [...new Set(inside.map(f => f.path.slice(path.length + 1).split('/')[0]))]
      const entries = names.map(n => {
        const found = inside.find(f => f.path === `${path}/${n}`)
        return found ? fileOf(found) : folder(`${path}/${n}`)
      })
      const createReader = () => ({
        readEntries: (ok: (some: unknown[]) => void) => ok(entries.splice(0)),
      })
      return { isFile: false, name: path.split('/').at(-1), fullPath: `/${path}`, createReader }
    }
    const items = [...new Set(all.map(f => f.path.split('/')[0] ?? ''))].map(name => {
      const entry = folder(name)
      return { webkitGetAsEntry: () => entry }
    })
    const event = new Event('drop', { bubbles: true, cancelable: true })
    document.body.dispatchEvent(Object.assign(event, { dataTransfer: { types: ['Files'], items } }))
  }, given)
}

/** Opens the settings of uploads from the button's menu. */
async function settings(page: Page) {
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Upload settings' }).click()
  return page.getByRole('dialog', { name: 'Upload settings' })
}

test('folders that are dropped or chosen become collections', async ({ page, as, library }) => {
  await as('editor')
  await page.goto('/')
  const dialog = await settings(page)
  await dialog.getByText('Create a collection for each folder').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await drop(
    page,
    ['Coast/bay.png', picture(71, 50, 40)],
    ['Coast/islands/reef.png', picture(72, 50, 40)],
    ['Coast/.DS_Store', Buffer.from('litter')],
    ['Hills/peak.png', picture(73, 50, 40)],
  )
  await expect(tray(page).getByRole('heading')).toHaveText('3 done')
  const folder = mkdtempSync(join(tmpdir(), 'dal-ui-folder-'))
  mkdirSync(join(folder, 'Valley'))
  writeFileSync(join(folder, 'Valley/stream.png'), picture(74, 50, 40))
  await page.locator('input[type=file][aria-label="A folder"]').setInputFiles(join(folder, 'Valley'))
  await expect(row(page, 'stream.png')).toContainText('In the library')
  rmSync(folder, { recursive: true })
  const content = { Coast: ['bay', 'reef'], Hills: ['peak'], Valley: ['stream'] }
  for (const [name, expected] of Object.entries(content)) {
    const found = await named(library, name)
    expect(found).toHaveLength(1)
    expect(await files(library, found[0].id)).toEqual(expected)
  }
  await page.getByRole('link', { name: 'Collections' }).click()
  await expect(page.getByRole('row', { name: 'Hills', exact: true })).toBeVisible()
})

test('settings that the server refuses are mended where that is said, and nothing is done twice', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  const id = await collection(library, 'Gone')
  await as('editor')
  await page.goto('/')
  let dialog = await settings(page)
  await dialog.getByRole('combobox', { name: 'Collections' }).fill('Gone')
  await page.getByRole('option', { name: 'Gone' }).click()
  await expect(dialog.getByRole('row', { name: 'Gone' })).toBeVisible()
  await dialog.getByText('Create a collection for each folder').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await library.api('DELETE', `/collections/${id}`)
  await drop(page, ['Lakes/one.png', picture(75, 50, 40)], ['Lakes/two.png', picture(76, 50, 40)])
  await expect(tray(page)).toContainText('The server rejected the upload settings.')
  await expect(tray(page).getByRole('heading')).toHaveText('2 of 2 failed')
  await expectAccessible(page)
  await tray(page).getByRole('button', { name: 'Upload settings' }).click()
  dialog = page.getByRole('dialog', { name: 'Upload settings' })
  await expect(dialog.getByRole('combobox', { name: 'Collections' })).toHaveAccessibleDescription(
    /invalid|not/,
  )
  await dialog.getByRole('button', { name: 'Remove Gone' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(tray(page).getByRole('heading')).toHaveText('2 done')
  const made = await named(library, 'Lakes')
  expect(made).toHaveLength(1)
  expect(await files(library, made[0].id)).toEqual(['one', 'two'])
})

test('a file that the server does not take can be tried again when it does', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 413 /, / 422 /, /ERR_CONNECTION|ERR_INCOMPLETE/)
  await as('editor')
  await page.goto('/')
  const large = png('large.png', 77)
  large.buffer = Buffer.concat([large.buffer, Buffer.alloc(9 << 20)])
  await pick(page, [large, png('small.png', 78)])
  await expect(row(page, 'small.png')).toContainText('In the library')
  await expect(row(page, 'large.png')).toContainText('the limit is 8,000,000')
  const again = row(page, 'large.png').getByRole('button', { name: 'Try large.png again' })
  const refused = page.waitForResponse(r => r.url().endsWith('/tus/') && !r.ok())
  await again.click()
  await refused
  await expect(row(page, 'large.png')).toContainText('the limit is 8,000,000')
  await library.stop()
  await library.start()
  await again.click()
  await expect(row(page, 'large.png')).toContainText('In the library', { timeout: 20_000 })
  await expect(tray(page).getByRole('heading')).toHaveText('2 done')
})

test('a file whose batch was given up elsewhere goes into another one', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 4(04|09|10) /)
  await as('editor')
  await page.goto('/')
  const slow = await page.context().newCDPSession(page)
  const rate = (uploadThroughput: number) =>
    slow.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await rate(1 << 20)
  const held = png('held.png', 79)
  held.buffer = Buffer.concat([held.buffer, Buffer.alloc(7 << 20)])
  await pick(page, held)
  await row(page, 'held.png').getByRole('button', { name: 'Pause held.png' }).click()
  await expect(row(page, 'held.png')).toContainText('Paused')
  for (const batch of (await library.api('GET', '/upload-batches')).data) {
    if (batch.status === 'open') await library.api('POST', `/upload-batches/${batch.id}/cancel`)
  }
  await rate(-1)
  await row(page, 'held.png').getByRole('button', { name: 'Resume held.png' }).click()
  await expect(row(page, 'held.png')).toContainText('In the library', { timeout: 20_000 })
})

test.describe('on a phone', () => {
  test.use({ viewport: phone, hasTouch: true, isMobile: true })

  test('the camera takes a picture into the library', async ({ page, as }) => {
    await as('editor')
    await page.goto('/')
    await page.getByRole('button', { name: 'Upload', exact: true }).tap()
    const item = page.getByRole('menuitem', { name: 'Take a picture' })
    await expect(item).toBeVisible()
    await expectAccessible(page)
    const choosing = page.waitForEvent('filechooser')
    await item.tap()
    const chooser = await choosing
    expect(chooser.isMultiple()).toBe(false)
    await expect(page.locator('input[capture=environment]')).toHaveAttribute('accept', 'image/*')
    await chooser.setFiles(png('IMG_0001.png', 80))
    await tray(page)
      .getByRole('button', { name: /Show the uploads/ })
      .tap()
    await expect(row(page, 'IMG_0001.png')).toContainText('In the library')
    await expectFits(page)
  })
})
