import type { Browser, Locator } from '@playwright/test'
import { expect, expectAccessible, expectFits, type Page, phone, picture, test } from './kit'

const width = 1400
const height = 900
const type = 'bold 84px sans-serif'

/** The words of the picture: their left end and the line they stand on, in its pixels. */
const drawn = [
  { text: 'Lighthouse', x: 150, y: 200 },
  { text: 'keeper', x: 800, y: 200 },
  { text: 'Mooring', x: 420, y: 480 },
  { text: 'closed', x: 900, y: 480 },
  { text: 'until', x: 250, y: 760 },
  { text: 'October', x: 600, y: 760 },
] as const
type Text = (typeof drawn)[number]['text']

/** A rectangle in shares of a picture. */
interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** A PNG with the words on it, and where their ink is. */
async function sign(browser: Browser) {
  const page = await browser.newPage()
  const made = await page.evaluate(
    ({ width, height, type, drawn }) => {
      const canvas = document.createElement('canvas')
      canvas.width = width
      canvas.height = height
      const pen = canvas.getContext('2d')
      if (!pen) throw new Error('the browser draws nothing')
      pen.fillStyle = '#fff'
      pen.fillRect(0, 0, width, height)
      pen.fillStyle = '#123'
      pen.font = type
      const ink = drawn.map(({ text, x, y }) => {
        pen.fillText(text, x, y)
        const m = pen.measureText(text)
        const [left, right] = [m.actualBoundingBoxLeft, m.actualBoundingBoxRight]
        const [up, down] = [m.actualBoundingBoxAscent, m.actualBoundingBoxDescent]
        return {
          x: (x - left) / width,
          y: (y - up) / height,
          width: (left + right) / width,
          height: (up + down) / height,
        }
      })
      return { png: canvas.toDataURL('image/png').replace(/^.*,/, ''), ink }
    },
    { width, height, type, drawn },
  )
  await page.close()
  return { data: Buffer.from(made.png, 'base64'), ink: new Map(drawn.map((w, i) => [w.text, made.ink[i]])) }
}

let gaid = ''
let other = ''
let ink = new Map<Text, Box | undefined>()
test.beforeAll(async ({ library, browser }) => {
  test.setTimeout(900_000) // words are read when the machine has nothing else to do
  const made = await sign(browser)
  ink = made.ink
  const files = [
    { name: 'quay.png', data: made.data },
    { name: 'plain.png', data: picture(5, 320, 240) },
  ]
  ;[gaid = '', other = ''] = await library.ingest(...files)
  for (const asset of [gaid, other]) {
    const analyses = async () => (await library.api('GET', `/assets/${asset}/analyses`)).data
    await expect
      .poll(analyses, { timeout: 840_000 })
      .toContainEqual(expect.objectContaining({ task: 'ocr', error: null, done_at: expect.any(String) }))
  }
})

const viewer = (page: Page) => page.locator('[data-viewer]')
const frame = (page: Page) => viewer(page).locator('[data-scale]:not([inert] *)')
const marks = (page: Page) => frame(page).locator('[data-marks] > *')
const toggle = (page: Page) =>
  viewer(page).getByRole('button', { name: /text in the picture|Stop selecting text/ })

/** Where an element is in the picture that is shown, in shares of it. */
async function placeOf(page: Page, element: Locator): Promise<Box> {
  const [whole, part] = [await frame(page).boundingBox(), await element.boundingBox()]
  if (!whole || !part) throw new Error('it is not shown')
  return {
    x: (part.x - whole.x) / whole.width,
    y: (part.y - whole.y) / whole.height,
    width: part.width / whole.width,
    height: part.height / whole.height,
  }
}

/** Expects an element where a word is in the picture, within a hundredth of its sides. */
async function expectOn(page: Page, element: Locator, text: Text) {
  const { x, y, width, height } = ink.get(text) ?? { x: -1, y: -1, width: 0, height: 0 }
  await expect(async () => {
    const at = await placeOf(page, element)
    const off = [at.x - x, at.y - y, at.x + at.width - x - width, at.y + at.height - y - height]
    expect(Math.max(...off.map(Math.abs)), `${text}: ${off}`).toBeLessThan(0.01)
  }).toPass({ timeout: 10_000 })
}

test('a word that is only in a picture finds it, and is marked at its place', async ({ page, as }) => {
  await as('viewer')
  await page.goto('/')
  await expect(page.getByRole('gridcell').locator('a')).toHaveCount(2)
  await page.keyboard.press('/')
  await expect(page.getByRole('combobox', { name: 'Search the library' })).toBeFocused()
  await page.keyboard.type('lighthouse')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/q=lighthouse$/)
  const found = page.getByRole('gridcell').locator('a')
  await expect(found.first()).toHaveAccessibleName(/quay/)
  await expect(found.first().locator('[data-reasons]')).toContainText('Lighthouse')
  await page.getByRole('img', { name: /^quay,/ }).click()
  await expect(marks(page)).toHaveCount(1)
  await expectOn(page, marks(page), 'Lighthouse')

  // It stays at its place when the picture is enlarged and moved.
  await page.keyboard.press('z')
  await expect(frame(page)).not.toHaveAttribute('data-scale', '1.00')
  await page.keyboard.press('Shift+ArrowRight')
  await expectOn(page, marks(page), 'Lighthouse')
})

test('all words that were searched for are marked, and others are not', async ({ page, as }) => {
  await as('viewer')
  await page.goto(`/assets/${gaid}?q=october+moorings+nowhere`)
  await expect(marks(page)).toHaveCount(2)
  await expectOn(page, marks(page).nth(0), 'Mooring')
  await expectOn(page, marks(page).nth(1), 'October')
  await page.goto(`/assets/${gaid}`)
  await expect(toggle(page)).toBeVisible()
  await expect(marks(page)).toHaveCount(0)
  await page.goto(`/assets/${other}?q=lighthouse`)
  await expect(viewer(page).getByRole('heading', { level: 1 })).toHaveText('plain')
  await expect(viewer(page).getByRole('img').first()).toBeVisible()
  await expect(marks(page)).toHaveCount(0)
  await expect(toggle(page)).toHaveCount(0)
})

test('a key lays the text over the picture to be selected, and takes it away', async ({ page, as }) => {
  await as('viewer')
  await page.goto(`/assets/${gaid}?q=keeper`)
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'false')
  await toggle(page).focus()
  await page.keyboard.press('Enter')
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'true')
  const line = frame(page).getByText('Mooring closed', { exact: true })
  await expect(line).toBeVisible()
  const at = await placeOf(page, line)
  const [first, last] = [ink.get('Mooring'), ink.get('closed')]
  expect(at.x).toBeCloseTo(first?.x ?? -1, 1)
  expect(at.x + at.width).toBeCloseTo((last?.x ?? -1) + (last?.width ?? 0), 1)
  expect(at.y).toBeCloseTo(first?.y ?? -1, 1)
  await line.dblclick({ position: { x: 20, y: 10 } })
  expect(await page.evaluate(() => getSelection()?.toString().trim())).toBe('Mooring')
  await expect(frame(page)).toHaveAttribute('data-scale', '1.00') // two clicks select, and do not enlarge
  await toggle(page).focus()
  await page.keyboard.press('Space')
  await expect(toggle(page)).toHaveAttribute('aria-pressed', 'false')
  await expect(line).toHaveCount(0)
})

test('everybody can use it, in light, in dark and on a phone', async ({ page, as }) => {
  await as('viewer')
  await page.goto(`/assets/${gaid}?q=keeper`)
  await expect(marks(page)).toHaveCount(1)
  await expectAccessible(page)
  await toggle(page).click()
  await expect(frame(page).getByText('until October')).toBeVisible()
  await expectAccessible(page)
  await expectFits(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await expectOn(page, marks(page), 'keeper')
  await expect(toggle(page)).toBeInViewport()
  await toggle(page).click()
  await expectAccessible(page)
  await expectOn(page, marks(page), 'keeper')
})
