import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectAccessible, expectFits, type Page, phone, test } from './kit'

// A file of each kind, opened as people do.

const samples = join(import.meta.dirname, 'samples')
const media = join(import.meta.dirname, '../../../app/media/testdata')
const read = (folder: string, name: string) => ({
  name: name.split('/').at(-1) ?? name,
  data: readFileSync(join(folder, name)),
})

const files = [
  { name: 'notes.md', data: Buffer.from(`# The harbour\n\n${'Boats leave at dawn. '.repeat(400)}`) },
  { name: 'prices.csv', data: Buffer.from(`fish,price\n${'herring,3\ncod,12\n'.repeat(40)}`) },
  read(samples, 'moving.gif'),
  read(media, 'pdf/locked.pdf'),
  read(media, 'pdf/two-pages.pdf'),
  read(media, 'tiff/pages.tif'),
  { name: 'stripes.bmp', data: bitmap(2000, 1000) },
  read(samples, 'clip.webm'),
  read(samples, 'mpeg4.avi'),
  read(samples, 'tone.wav'),
  read(samples, 'files.zip'),
]

/** A picture that browsers are not asked to show: stripes in 8 bits, larger than a preview. */
function bitmap(width: number, height: number): Buffer {
  const begins = 14 + 40 + 256 * 4
  const file = Buffer.alloc(begins + width * height)
  file.write('BM')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(begins, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(8, 28)
  for (let i = 0; i < 256; i++) file.writeUInt32LE(i * 0x010101, 54 + i * 4)
  for (let i = 0; i < width * height; i++) file[begins + i] = (i % width) & 0xff
  return file
}

const gaids = new Map<string, string>()
test.describe.configure({ timeout: 90_000 })
test.beforeAll(async ({ library }) => {
  test.setTimeout(240_000)
  for (const f of files) gaids.set(f.name, (await library.ingest(f))[0] ?? '') // engines are compiled as they are needed
})

const viewer = (page: Page) => page.locator('[data-viewer]')

async function open(page: Page, name: string) {
  await page.goto(`/assets/${gaids.get(name)}`)
  await expect(viewer(page).getByRole('heading', { level: 1 })).not.toHaveText('Loading…')
}

/** Looks at the viewer in light, in dark and on a phone. */
async function look(page: Page) {
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize({ width: 1440, height: 900 })
}

const selected = (page: Page) => page.evaluate(() => window.getSelection()?.toString() ?? '')

test('a text is read, selected and scrolled by keys, and has a picture too', async ({ page, as }) => {
  await as('viewer')
  await open(page, 'notes.md')
  const text = page.getByRole('region', { name: 'Text of notes' })
  await expect(text).toContainText('# The harbour')
  await expect(text).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => text.evaluate(el => el.scrollTop)).toBeGreaterThan(0)
  await text.getByText('Boats leave').selectText()
  expect(await selected(page)).toContain('Boats leave at dawn.')
  await look(page)
  await page.getByRole('radio', { name: 'Picture' }).click()
  await expect(viewer(page).getByRole('img', { name: /^notes/ })).toBeVisible()
  await page.keyboard.press('z')
  await expect(viewer(page).locator('[data-scale="2.00"]')).toBeVisible()
  await expectAccessible(page)
  await open(page, 'prices.csv')
  await expect(page.getByRole('region', { name: 'Text of prices' })).toContainText('herring,3')
})

test('an animation moves until it is stopped, and not at first for who wants less motion', async ({
  page,
  as,
}) => {
  await as('viewer')
  await open(page, 'moving.gif')
  const original = viewer(page).locator('img[src$="/download"]')
  await expect(original).toBeVisible()
  await page.keyboard.press('Space')
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
  await expect(original).toHaveCount(0)
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(original).toBeVisible()
  await look(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.reload()
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
  await expect(original).toHaveCount(0)
})

test('what has no preview says why, in the viewer and beside it', async ({ page, as }) => {
  await as('viewer')
  await open(page, 'locked.pdf')
  await expect(page.getByText('No preview: the document is protected by a password.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Download the original' })).toBeVisible()
  await page.getByRole('tab', { name: 'File' }).click()
  await expect(
    page.getByText('the document is protected by a password', { exact: true }).first(),
  ).toBeVisible()
  await look(page)
})

test('the pages of a PDF are turned, enlarged, and their text is selected', async ({ page, as }) => {
  await as('viewer')
  const drawn: string[] = []
  page.on('request', r => {
    const url = new URL(r.url())
    if (url.searchParams.get('rendition') === 'page') drawn.push(url.searchParams.get('page') ?? '')
  })
  await open(page, 'two-pages.pdf')
  const pages = page.getByRole('region', { name: 'Pages of The harbour' })
  const first = pages.getByRole('article', { name: 'Page 1 of 2' })
  const line = first.getByText('Harbour master')
  await expect(line).toBeAttached()
  await line.selectText()
  expect(await selected(page)).toBe('Harbour master')
  const [over, under] = [await line.boundingBox(), await first.boundingBox()]
  expect(over?.width).toBeLessThan(under?.width ?? 0)
  const number = page.getByRole('textbox', { name: 'Page', exact: true })
  await expect(number).toHaveValue('1')
  await number.fill('2')
  await page.keyboard.press('Enter')
  await expect(pages.getByText('Second quay')).toBeInViewport()
  await expect.poll(() => drawn).toContain('2')
  await expect(number).toHaveValue('2')
  await pages.focus()
  await page.keyboard.press('PageUp')
  await expect(number).toHaveValue('1')
  await page.keyboard.press('PageDown')
  await page.keyboard.press('+')
  await expect(pages.locator('[data-scale]')).toHaveAttribute('data-scale', '1.50')
  await page.keyboard.press('z')
  await expect(pages.locator('[data-scale]')).toHaveAttribute('data-scale', '1.00')
  await look(page)
})

test('the pages of a TIFF are looked at one below the other', async ({ page, as }) => {
  await as('viewer')
  await open(page, 'pages.tif')
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('button', { name: 'Next page' }).click()
  const number = page.getByRole('textbox', { name: 'Page', exact: true })
  await expect(number).toHaveValue('3')
  await page.setViewportSize(phone)
  await expect(number).toHaveValue('3')
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(page.getByRole('img', { name: 'Page 3 of 3' })).toBeVisible()
  await look(page)
})

test('what browsers do not show is enlarged with what the server makes of it', async ({ page, as }) => {
  await as('viewer')
  await open(page, 'stripes.bmp')
  await expect(viewer(page).getByRole('img', { name: /^stripes/ })).toBeVisible()
  const large = page.waitForResponse(r => r.url().endsWith('?rendition=large'))
  await page.keyboard.press('z')
  expect((await large).ok()).toBe(true)
})

const time = (page: Page) => page.locator('video, audio').evaluate((el: HTMLMediaElement) => el.currentTime)
const isPaused = (page: Page) => page.locator('video, audio').evaluate((el: HTMLMediaElement) => el.paused)

test('a video plays, steps, speeds up and gives a frame as its poster', async ({ page, as, library }) => {
  await as('editor')
  await open(page, 'clip.webm')
  const video = page.locator('video')
  await expect.poll(() => video.evaluate((el: HTMLVideoElement) => el.readyState)).toBeGreaterThan(0)
  await page.keyboard.press('Space')
  await expect.poll(() => time(page)).toBeGreaterThan(0)
  await page.keyboard.press('Space')
  await expect.poll(() => isPaused(page)).toBe(true)
  await page.keyboard.press('l')
  await expect.poll(() => time(page)).toBeGreaterThan(2.5)
  await page.keyboard.press('j')
  await expect.poll(() => time(page)).toBe(0)
  await page.keyboard.press('.')
  await expect.poll(() => time(page)).toBeCloseTo(0.1, 2)
  await page.keyboard.press(',')
  await expect.poll(() => time(page)).toBeCloseTo(0, 2)
  await page.keyboard.press('>')
  await expect.poll(() => video.evaluate((el: HTMLVideoElement) => el.playbackRate)).toBe(1.25)
  const seek = page.getByRole('slider', { name: 'Position' })
  await seek.focus()
  await page.keyboard.press('End')
  await expect(seek).toHaveAttribute('aria-valuetext', '0:03 of 0:03')
  await page.keyboard.press('m')
  await expect(page.getByRole('button', { name: 'Unmute' })).toBeVisible()
  await page.keyboard.press('Home')
  await expect(seek).toHaveAttribute('aria-valuetext', '0:00 of 0:03')
  await look(page)
  const asset = async () => (await library.api('GET', `/assets/${gaids.get('clip.webm')}`)).data
  const before = (await asset()).technical.file.preview
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: 'Use this frame as the poster' }).click()
  await expect(page.getByText('This frame is now the poster.')).toBeVisible()
  await expect.poll(async () => (await asset()).technical.file.preview).toBe('a picture that was set')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await asset()).technical.file.preview).toBe(before)
  await page.getByRole('tab', { name: 'File' }).click()
  await expect(page.getByText('VP8', { exact: true })).toBeVisible()
  await expect(page.getByText('10 fps')).toBeVisible()
})

test('who can only look sets no poster', async ({ page, as }) => {
  await as('viewer')
  await open(page, 'clip.webm')
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
  await expect(page.getByRole('button', { name: /poster/ })).toHaveCount(0)
})

test('a video that no browser plays says what it is', async ({ page, as }) => {
  await as('viewer')
  await open(page, 'mpeg4.avi')
  await expect(page.getByText('Browsers cannot play this: MPEG-4 in AVI.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Download the original' })).toBeVisible()
  await look(page)
})

test('a sound plays along its waveform', async ({ page, as }) => {
  await as('viewer')
  await open(page, 'tone.wav')
  const seek = page.getByRole('slider', { name: 'Position' })
  await expect(seek).toHaveAttribute('aria-valuetext', '0:00 of 0:04')
  const box = await seek.boundingBox()
  expect(box?.height).toBeGreaterThan(60) // it lies over the picture of the sound
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 20)
  await expect.poll(() => time(page)).toBeCloseTo(2, 0)
  await page.keyboard.press('k')
  await expect.poll(() => isPaused(page)).toBe(false)
  await page.keyboard.press('k')
  await expect.poll(() => isPaused(page)).toBe(true)
  await page.getByRole('button', { name: /Speed/ }).click()
  await page.getByRole('option', { name: '0.5×' }).click()
  await expect.poll(() => page.locator('audio').evaluate((el: HTMLAudioElement) => el.playbackRate)).toBe(0.5)
  await look(page)
})

test('an archive is listed', async ({ page, as }) => {
  await as('viewer')
  await open(page, 'files.zip')
  const list = page.getByRole('table', { name: 'Contents of the archive' })
  await expect(list.getByRole('row', { name: /letters\/harbour\.txt.*kB/ })).toBeVisible()
  await expect(page.getByText(/^ZIP · 3 files/)).toBeVisible()
  await look(page)
})

test('formats are chosen by their names', async ({ page, as }) => {
  await as('viewer')
  await page.goto('/')
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  const formats = page.getByRole('group', { name: 'Format' })
  await formats.getByText('PDF', { exact: true }).click()
  await expect(page.getByRole('gridcell')).toHaveCount(2)
  await expect(page.getByText('Format: PDF')).toBeVisible()
})
