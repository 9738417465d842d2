import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectAccessible, expectFits, type Page, phone, picture, test } from './kit'

// The pages of shares as guests see them, with their script and without it.

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path))
const shapes = [
  [320, 240],
  [240, 320],
  [480, 200],
  [300, 300],
  [160, 400],
] as const

const gaids: string[] = []
let clip = ''
let paper = ''
test.describe.configure({ timeout: 120_000 })
test.beforeAll(async ({ library }) => {
  test.setTimeout(240_000)
  const files = Array.from({ length: 12 }, (_, i) => {
    const [w, h] = shapes[i % shapes.length] ?? [320, 240]
    return { name: `picture-${i + 1}.png`, data: picture(i + 1, w, h) }
  })
  const film = { name: 'clip.webm', data: read('samples/clip.webm') }
  const pages = { name: 'two-pages.pdf', data: read('../../../app/media/testdata/pdf/two-pages.pdf') }
  for (const file of [...files, film, pages]) gaids.push(...(await library.ingest(file)))
  ;[clip = '', paper = ''] = gaids.splice(files.length)
})

/** Shares assets and returns the share. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it needs of an answer
async function share(library: any, shown: string[], more: object = {}): Promise<{ id: number; url: string }> {
  return (await library.api('POST', '/shares', { name: 'Press pictures', gaids: shown, ...more })).data
}

const links = (page: Page) => page.getByRole('listitem').getByRole('link')
const viewer = (page: Page) => page.getByRole('dialog')

/** The number of the file that the viewer shows, once it is there. */
async function expectShown(page: Page, which: string) {
  await expect(viewer(page)).toHaveAccessibleName(new RegExp(`^${which} `))
  await expect(viewer(page).locator('.about')).toBeVisible()
}

/** The path of the page of a file. */
const pathOf = (url: string, gaid: string | undefined) => `${url}/assets/${gaid}`

test('files are looked at over the gallery, by mouse and by keys', async ({ page, library }) => {
  const { url } = await share(library, gaids.slice(0, 4))
  await page.goto(url)
  await links(page).first().click()
  await expectShown(page, '1 of 4')
  await expect(page).toHaveURL(pathOf(url, gaids[0]))
  await expect(page).toHaveTitle('picture-1')
  await expect(viewer(page).getByRole('img', { name: 'picture-1' })).toBeVisible()
  await expect(viewer(page).getByRole('link', { name: 'Download the picture' })).toBeVisible()
  const previous = viewer(page).getByRole('button', { name: 'Previous file' })
  const next = viewer(page).getByRole('button', { name: 'Next file' })
  await expect(previous).toBeDisabled()
  await next.click()
  await expectShown(page, '2 of 4')
  await expect(viewer(page).getByRole('status').first()).toHaveText('2 of 4 picture-2')
  await page.keyboard.press('ArrowRight')
  await expectShown(page, '3 of 4')
  await next.press('Enter')
  await expectShown(page, '4 of 4')
  await expect(next).toBeDisabled()
  await page.keyboard.press('ArrowRight') // there is none
  await page.keyboard.press('ArrowLeft')
  await expectShown(page, '3 of 4')
  await expect(page).toHaveURL(pathOf(url, gaids[2]))

  await page.keyboard.press('Escape')
  await expect(viewer(page)).toBeHidden()
  await expect(page).toHaveURL(url)
  await expect(page).toHaveTitle('Press pictures')
  await expect(links(page).nth(2)).toBeFocused()
  await page.keyboard.press('Enter')
  await expectShown(page, '3 of 4')
  await viewer(page).getByRole('button', { name: 'Close' }).click()
  await expect(links(page).nth(2)).toBeFocused()
  await expect(page).toHaveURL(url)

  const opened = page.context().waitForEvent('page')
  await links(page)
    .first()
    .click({ modifiers: ['ControlOrMeta'] })
  await expect((await opened).getByRole('link', { name: 'All files' })).toBeVisible()
  await expect(viewer(page)).toBeHidden()
})

test('Back closes the viewer, Forward opens it, and reloaded it is the page of the file', async ({
  page,
  library,
}) => {
  const { url } = await share(library, gaids.slice(0, 4))
  await page.goto(url)
  await links(page).nth(1).click()
  await expectShown(page, '2 of 4')
  await page.keyboard.press('ArrowRight')
  await expectShown(page, '3 of 4')
  await page.goBack()
  await expect(viewer(page)).toBeHidden()
  await expect(page).toHaveURL(url)
  await expect(links(page).nth(2)).toBeFocused()
  await page.goForward()
  await expectShown(page, '3 of 4')
  await page.reload()
  await expect(page).toHaveURL(pathOf(url, gaids[2]))
  await expect(page.getByRole('link', { name: 'All files' })).toBeVisible()
  await expect(viewer(page)).toBeHidden()
  await page.goBack()
  await expect(page).toHaveURL(url)
  await expect(links(page)).toHaveCount(4)
  await page.goForward()
  await expectShown(page, '3 of 4')
  await page.keyboard.press('Escape')
  await expect(viewer(page)).toBeHidden()
})

/** Moves fingers from some points by so much to the side, as a screen tells of it. */
async function drag(page: Page, from: [number, number][], by: [number, number]) {
  const screen = await page.context().newCDPSession(page)
  const at = (part: number) => from.map(([x, y], id) => ({ x: x + by[0] * part, y: y + by[1] * part, id }))
  await screen.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) })
  for (const part of [0.25, 0.5, 0.75, 1]) {
    await screen.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(part) })
  }
  await screen.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await screen.detach()
}

test('a phone has the viewer on its whole screen, and swipes turn it', async ({ browser, library }) => {
  const { url } = await share(library, [...gaids.slice(0, 3), clip])
  const context = await browser.newContext({
    viewport: phone,
    hasTouch: true,
    isMobile: true,
    locale: 'de-DE',
  })
  const page = await context.newPage()
  await page.goto(url)
  await links(page).first().tap()
  await expectShown(page, '1 von 4')
  expect(await viewer(page).boundingBox()).toEqual({ x: 0, y: 0, ...phone })
  for (const name of ['Vorige Datei', 'Nächste Datei', 'Schließen']) {
    const box = await viewer(page).getByRole('button', { name }).boundingBox()
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), name).toBeGreaterThanOrEqual(44)
  }
  await expectFits(page)
  await viewer(page).getByRole('button', { name: 'Nächste Datei' }).tap()
  await expectShown(page, '2 von 4')
  await viewer(page).getByRole('button', { name: 'Vorige Datei' }).tap()
  await expectShown(page, '1 von 4')
  await viewer(page).getByRole('button', { name: 'Schließen' }).tap()
  await expect(viewer(page)).toBeHidden()
  await links(page).first().tap()
  await expectShown(page, '1 von 4')

  await drag(page, [[300, 300]], [-200, 10])
  await expectShown(page, '2 von 4')
  await drag(page, [[300, 300]], [-200, -200]) // it scrolls
  await drag(
    page,
    [
      [100, 300],
      [300, 300],
    ],
    [-90, 0],
  ) // two fingers
  await drag(page, [[100, 300]], [200, 10])
  await expectShown(page, '1 von 4')
  await drag(page, [[300, 300]], [-200, 0])
  await expectShown(page, '2 von 4')
  await drag(page, [[300, 300]], [-200, 0])
  await expectShown(page, '3 von 4')
  await drag(page, [[300, 300]], [-200, 0])
  await expectShown(page, '4 von 4')
  const video = await viewer(page).locator('video').boundingBox()
  await drag(page, [[100, (video?.y ?? 0) + 20]], [200, 0]) // that is the video's
  await drag(page, [[100, (video?.y ?? 0) - 20]], [200, 0])
  await expectShown(page, '3 von 4')
  await context.close()
})

test('what the page of a file has, the viewer has, and axe finds nothing', async ({ page, library }) => {
  test.slow()
  const { url } = await share(library, [gaids[0] ?? '', paper, clip], { type: 'review' })
  await page.goto(url)
  await links(page).first().click()
  await expectShown(page, '1 of 3')
  await expectAccessible(page)
  await page.keyboard.press('ArrowRight')
  await expectShown(page, '2 of 3')
  await viewer(page).getByRole('link', { name: 'Next' }).click()
  await expect(viewer(page).getByText('Page 2 of 2')).toBeVisible()
  await expect(viewer(page).locator('figure img')).toHaveAttribute('src', /\/pages\/2$/)
  await expect(page).toHaveURL(`${pathOf(url, paper)}?page=2`)
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await expectAccessible(page)
  await viewer(page).getByRole('button', { name: 'Next file' }).click()
  await expectShown(page, '3 of 3')
  await expect(viewer(page).locator('video')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expectFits(page)
  await expectAccessible(page)
})

test('guests pick, rate and comment in the viewer, and the gallery knows it', async ({
  page,
  library,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  const { id, url } = await share(library, gaids.slice(0, 3), { type: 'review' })
  await page.goto(url)
  await links(page).first().click()
  await expectShown(page, '1 of 3')
  const pick = viewer(page).getByRole('button', { name: 'Pick: ' })
  await pick.click()
  await expect(pick).toHaveAttribute('aria-pressed', 'true')
  await expect(pick).toBeFocused()
  await viewer(page).getByLabel('None').press('ArrowRight') // of the ratings, not of the files
  await expect(viewer(page).getByLabel('1', { exact: true })).toBeChecked()
  await viewer(page).getByLabel('Comment').fill('hidden \u202e')
  await viewer(page).getByRole('button', { name: 'Save' }).click()
  await expect(viewer(page).getByRole('alert')).toHaveText('The comment has invisible characters.')
  await viewer(page).getByLabel('Comment').fill('The light!')
  await viewer(page).getByLabel('4', { exact: true }).check()
  await viewer(page).getByRole('button', { name: 'Save' }).click()
  await expect(viewer(page).getByText('Saved.')).toBeVisible()
  await expect(viewer(page).getByLabel('4', { exact: true })).toBeChecked()
  await expect(page).toHaveURL(pathOf(url, gaids[0]))
  await page.keyboard.press('Escape')
  await expect(viewer(page)).toBeHidden()
  const item = page.getByRole('listitem').first()
  await expect(item.getByRole('button')).toHaveAttribute('aria-pressed', 'true')
  await expect(item).toContainText('Rated 4 of 5 · Commented')
  const said = (await library.api('GET', `/shares/${id}/feedback`)).data
  expect(said).toHaveLength(1)
  expect(said[0]).toMatchObject({ gaid: gaids[0], picked: true, rating: 4, comment: 'The light!' })
})

test('who is refused sees what the server says, and what fails is tried again', async ({
  page,
  library,
  expectErrors,
}) => {
  expectErrors(/ 404 /, /ERR_FAILED/)
  const { id, url } = await share(library, gaids.slice(0, 3))
  await page.goto(url)
  await links(page).first().click()
  await expectShown(page, '1 of 3')
  await page.route(pathOf('**', gaids[1]), route => route.abort())
  await page.keyboard.press('ArrowRight')
  await expect(viewer(page).getByRole('alert')).toContainText('The file could not be loaded.')
  await page.unroute(pathOf('**', gaids[1]))
  await viewer(page).getByRole('button', { name: 'Try again' }).click()
  await expectShown(page, '2 of 3')
  await expect(viewer(page).getByRole('alert')).toBeHidden()

  await library.api('DELETE', `/shares/${id}`)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing found')
  await expect(viewer(page)).toBeHidden()
  await page.goBack()
  await expect(page).toHaveURL(url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing found')
})

/** Looks at a picture, a document's pages and a video. */
const looks = {
  async plain(page: Page) {
    for (const i of [0, 1, 2]) {
      await links(page).nth(i).click()
      if (i === 1) await page.getByRole('link', { name: 'Next' }).click()
      if (i === 2) await playing(page)
      await page.getByRole('link', { name: 'All files' }).click()
    }
  },
  async scripted(page: Page) {
    await links(page).first().click()
    await expectShown(page, '1 of 3')
    await page.keyboard.press('ArrowRight')
    await expectShown(page, '2 of 3')
    await viewer(page).getByRole('link', { name: 'Next' }).click()
    await expect(viewer(page).getByText('Page 2 of 2')).toBeVisible()
    await page.keyboard.press('ArrowRight')
    await expectShown(page, '3 of 3')
    await playing(page)
    await page.keyboard.press('Escape')
    await expect(viewer(page)).toBeHidden()
  },
}

/** Waits until a video knows how long it is. */
async function playing(page: Page) {
  const video = page.locator('video')
  await expect.poll(() => video.evaluate((el: HTMLVideoElement) => el.readyState)).toBeGreaterThan(0)
}

test('the viewer counts what the pages count', async ({ browser, library }) => {
  const shown = [gaids[0] ?? '', paper, clip]
  const uses = async () =>
    await Promise.all(
      shown.map(async gaid => {
        const { totals, bots } = (await library.api('GET', `/analytics/assets/${gaid}`)).data
        return { views: totals.views + bots.views, plays: totals.plays + bots.plays }
      }),
    )
  const counted: object[] = []
  for (const javaScriptEnabled of [false, true]) {
    const { id, url } = await share(library, shown)
    const before = await uses()
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    await page.goto(url)
    await (javaScriptEnabled ? looks.scripted(page) : looks.plain(page))
    await context.close()
    const log = (await library.api('GET', `/shares/${id}/access-logs`)).data
    const after = await uses()
    counted.push({
      log: log.map((e: { action: string; gaid: string }) => `${e.action} ${e.gaid}`).sort(),
      views: after.map((a, i) => a.views - (before[i]?.views ?? 0)),
      plays: after.map((a, i) => a.plays - (before[i]?.plays ?? 0)),
    })
  }
  expect(counted[0]).toMatchObject({ log: [`play ${clip}`, 'view null'], views: [1, 1, 1], plays: [0, 0, 1] })
  expect(counted[1]).toEqual(counted[0])
})

test('the rows of the gallery fill its width, at any width, and nothing moves when they do', async ({
  page,
  library,
}) => {
  const { url } = await share(library, gaids)
  const rows = () =>
    page.locator('.gallery').evaluate(list => {
      const byTop = new Map<number, DOMRect[]>()
      for (const img of list.querySelectorAll('img')) {
        const box = img.getBoundingClientRect()
        byTop.set(box.top, [...(byTop.get(box.top) ?? []), box])
      }
      const { right } = list.getBoundingClientRect()
      return [...byTop.values()].map(row => ({
        count: row.length,
        heights: new Set(row.map(box => box.height)).size,
        left: right - Math.max(...row.map(box => box.right)),
      }))
    })
  await page.goto(url)
  let widest = 0
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await expect.poll(async () => Math.abs((await rows())[0]?.left ?? 99)).toBeLessThan(2)
    const found = await rows()
    expect(found.length, `at ${width}`).toBeGreaterThan(1)
    expect(found.reduce((sum, row) => sum + row.count, 0)).toBe(gaids.length)
    for (const row of found) expect(row.heights, `at ${width}`).toBe(1)
    for (const row of found.slice(0, -1)) expect(Math.abs(row.left), `at ${width}`).toBeLessThan(2)
    widest = Math.max(widest, found[0]?.count ?? 0)
  }
  expect(widest).toBeGreaterThan((await rows())[0]?.count ?? 0)
  const heights = () => page.locator('.gallery img').evaluateAll(all => all.map(el => el.clientHeight))
  await page.goto(await share(library, gaids.slice(0, 2)).then(s => s.url))
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect.poll(async () => Math.max(...(await heights()))).toBe(208) // 13 rem: a last row is not stretched

  await page.goto(url)
  const moved = await page.evaluate(
    () =>
      new Promise<number>(done => {
        new PerformanceObserver(list => {
          done(list.getEntries().reduce((sum, e) => sum + (e as unknown as { value: number }).value, 0))
        }).observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => done(0)))
      }),
  )
  expect(moved).toBe(0)
})

test('the viewer goes on to the next page of the gallery', async ({ page, library }) => {
  test.setTimeout(240_000)
  const texts = Array.from({ length: 51 }, (_, i) => ({
    name: `note-${i}.txt`,
    data: Buffer.from(`Note ${i}`),
  }))
  const more: string[] = []
  while (texts.length > 0) more.push(...(await library.ingest(...texts.splice(0, 10))))
  const { url } = await share(library, [...gaids, ...more])
  await page.goto(url)
  await links(page).nth(59).click()
  await expectShown(page, '60 of 63')
  await page.keyboard.press('ArrowRight')
  await expectShown(page, '61 of 63')
  await page.keyboard.press('ArrowLeft')
  await expectShown(page, '60 of 63')
  await page.keyboard.press('ArrowRight')
  await expectShown(page, '61 of 63')
  await page.keyboard.press('Escape')
  await expect(viewer(page)).toBeHidden()
  await expect(page).toHaveURL(`${url}?page=2`)
  await expect(links(page)).toHaveCount(3)
  await expect(links(page).first()).toBeFocused()
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('Page 2 of 2')
})

test('without JavaScript the links lead to the pages of the files', async ({ browser, library }) => {
  const { url } = await share(library, [gaids[0] ?? '', paper])
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(url)
  await links(page).nth(1).click()
  await expect(page).toHaveURL(pathOf(url, paper))
  await expect(viewer(page)).toHaveCount(0)
  await page.getByRole('link', { name: 'Next' }).click()
  await expect(page.getByText('Page 2 of 2')).toBeVisible()
  await page.getByRole('link', { name: 'All files' }).click()
  await expect(links(page)).toHaveCount(2)
  await context.close()
})
