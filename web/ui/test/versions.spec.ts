import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectAccessible, expectFits, type Page, phone, picture, test } from './kit'

async function openFile(page: Page, gaid: string | undefined) {
  await page.goto(`/assets/${gaid}`)
  await page.getByRole('tab', { name: 'File' }).click()
}

const part = (page: Page, title: string) =>
  page.locator('details').filter({ has: page.getByRole('heading', { name: title }) })

test('takes a new version, compares it, and restores and deletes earlier ones', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ (422|409) .*\/versions$/)
  const [gaid] = await library.ingest({ name: 'first.png', data: picture(1, 320, 240) })
  await as('admin')
  await openFile(page, gaid)
  const versions = part(page, 'Versions')
  await expect(versions.getByRole('listitem')).toHaveText(/Version 1current.*first\.png.*Admin.*320 × 240/)

  const choose = versions.getByLabel('Upload a new version…')
  await choose.setInputFiles({ name: 'first.png', mimeType: 'image/png', buffer: picture(1, 320, 240) })
  await expect(versions.getByRole('alert')).toContainText('“first.png” could not be added as a new version.')
  await expect(versions.getByRole('alert')).toContainText('The asset has this file already.')
  await expectAccessible(page)
  await versions.getByRole('button', { name: 'Close' }).click()
  await expect(versions.getByRole('alert')).toBeHidden()
  await choose.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') })
  await expect(versions.getByRole('alert')).toContainText('“notes.txt” could not be added as a new version.')
  await versions.getByRole('button', { name: 'Close' }).click()

  await choose.setInputFiles({ name: 'second.png', mimeType: 'image/png', buffer: picture(2, 240, 320) })
  await expect(versions.getByRole('listitem').first()).toHaveText(/Version 2current.*second\.png.*240 × 320/)
  await expect(page.getByText('New version added.')).toBeVisible()
  await expect(versions.getByRole('listitem')).toHaveCount(2)
  await expect(versions.getByRole('listitem').last()).toHaveText(/Version 1.*kept until/)
  await expect(page.locator('[data-viewer] [data-scale] img[src*="v=2"]').first()).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const embedded = page.getByRole('menuitem', { name: 'Original with metadata' })
  await expect(embedded).toHaveAttribute('href', /\/download\?embed_metadata=1$/)
  await page.keyboard.press('Escape')

  const actions = versions.getByRole('button', { name: 'Actions for version 1' })
  await actions.click()
  const download = page.getByRole('menuitem', { name: 'Download' })
  await expect(download).toHaveAttribute('href', /\/versions\/1\/download$/)
  await page.getByRole('menuitem', { name: 'Compare…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Compare versions' })
  await expect(dialog.getByRole('img')).toHaveCount(2)
  const boxes = async () => [
    await dialog.getByRole('img', { name: 'Version 1' }).boundingBox(),
    await dialog.getByRole('img', { name: 'Version 2' }).boundingBox(),
  ]
  const [one, two] = await boxes()
  expect(one?.y).toBe(two?.y)
  expect(one?.x).toBeLessThan(two?.x ?? 0)
  await expectAccessible(page)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/compare.png` })
  await page.setViewportSize(phone)
  const [above, below] = await boxes()
  expect(above?.x).toBe(below?.x)
  expect(above?.y).toBeLessThan(below?.y ?? 0)
  await expectFits(page)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/compare-phone.png` })
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expectFits(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await actions.click()
  await page.getByRole('menuitem', { name: 'Restore…' }).click()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await expect(versions.getByRole('listitem').first()).toHaveText(/Version 3current.*first\.png/)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/versions.png` })
  await versions.getByRole('button', { name: 'Actions for version 2' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(versions.getByRole('listitem')).toHaveCount(2)
  await expect(versions.getByText('second.png')).toBeHidden()
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByText('File name').first()).toBeVisible()
})

test('those who only look see versions and change none', async ({ page, as, library }) => {
  const [gaid] = await library.ingest({ name: 'seen.png', data: picture(5, 320, 240) })
  await as('viewer')
  await openFile(page, gaid)
  const versions = part(page, 'Versions')
  await expect(versions.getByRole('listitem')).toHaveCount(1)
  await expect(versions.getByRole('button', { name: 'Upload a new version…' })).toBeHidden()
})

const media = join(import.meta.dirname, '../../../app/media/testdata')
const taken = { date: '2024:05:06 07:08:09\0', zone: '+00:00\0', at: Date.UTC(2024, 4, 6, 7, 8, 9) }

/** A photo that says when it was taken. */
function photo() {
  const jpeg = readFileSync(join(media, '420.jpg'))
  const tiff = Buffer.alloc(83)
  tiff.write('II*\0', 'latin1')
  tiff.writeUInt32LE(8, 4)
  const entry = (at: number, tag: number, kind: number, count: number, value: number) => {
    tiff.writeUInt16LE(tag, at)
    tiff.writeUInt16LE(kind, at + 2)
    tiff.writeUInt32LE(count, at + 4)
    tiff.writeUInt32LE(value, at + 8)
  }
  tiff.writeUInt16LE(1, 8)
  entry(10, 0x8769, 4, 1, 26)
  tiff.writeUInt16LE(2, 26)
  entry(28, 0x9003, 2, 20, 56)
  entry(40, 0x9011, 2, 7, 76)
  tiff.write(taken.date + taken.zone, 56, 'latin1')
  const block = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, block.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, block, jpeg.subarray(2)])
}

/** The video that goes with it. */
function clip() {
  const data = Buffer.from(readFileSync(join(media, 'media/a.mp4')))
  const since1904 = taken.at / 1000 - Date.UTC(1904, 0, 1) / 1000
  data.writeUInt32BE(since1904, data.indexOf('mvhd') + 8)
  return data
}

test('lists and plays the parts of a stack, and makes them assets', async ({ page, as, library }) => {
  const [gaid] = await library.ingest(
    { name: 'IMG_1.JPG', data: photo() },
    { name: 'IMG_1.MOV', data: clip() },
  )
  expect((await library.api('GET', `/assets/${gaid}`)).data.parts).toHaveLength(1)
  await as('admin')
  await openFile(page, gaid)
  const parts = part(page, 'Additional files')
  await expect(parts.getByRole('listitem')).toHaveText(/Video of the live photo.*IMG_1\.MOV.*5\.1 kB/)
  const actions = parts.getByRole('button', { name: 'Actions for IMG_1.MOV' })
  await actions.click()
  await expect(page.getByRole('menuitem', { name: 'Download' })).toHaveAttribute(
    'href',
    /parts\/\d+\/download$/,
  )
  await page.getByRole('menuitem', { name: 'Play' }).click()
  const dialog = page.getByRole('dialog', { name: 'IMG_1.MOV' })
  await expect
    .poll(() => dialog.locator('video').evaluate((v: HTMLVideoElement) => v.readyState))
    .toBeGreaterThan(1)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await actions.click()
  await page.getByRole('menuitem', { name: 'Make a separate asset…' }).click()
  await page.getByRole('button', { name: 'Make separate asset' }).click()
  await expect(parts).toBeHidden()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page).not.toHaveURL(new RegExp(gaid ?? ''))
})

test('deletes a part of a stack', async ({ page, as, library }) => {
  const other = Buffer.concat([photo(), Buffer.from([0])])
  const [gaid] = await library.ingest(
    { name: 'IMG_2.JPG', data: other },
    { name: 'IMG_2.MOV', data: Buffer.concat([clip(), Buffer.from('\0\0\0\x08free', 'latin1')]) },
  )
  await as('admin')
  await openFile(page, gaid)
  const parts = part(page, 'Additional files')
  await parts.getByRole('button', { name: 'Actions for IMG_2.MOV' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(parts).toBeHidden()
  expect((await library.api('GET', `/assets/${gaid}`)).data.parts).toHaveLength(0)
})
