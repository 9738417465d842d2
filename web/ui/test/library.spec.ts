import { expect, expectAccessible, expectFits, type Page, phone, test } from './kit'

let gaids: string[]

test.describe.configure({ timeout: 60_000 })

test.beforeAll(async ({ library }) => {
  gaids = await library.pictures(60)
})

const cell = (page: Page, index: number) => page.locator(`[data-index="${index}"]`)
const check = (page: Page, index: number) => cell(page, index).locator('[data-check]')
const status = (page: Page, text: string | RegExp) =>
  expect(page.locator('main').getByRole('status').filter({ hasText: text }).first()).toBeAttached()

/** Opens a list and waits for its first asset. */
async function open(page: Page, path = '/') {
  await page.goto(path)
  await expect(cell(page, 0).locator('a')).toBeVisible()
}

/** The GAID of the asset in a cell. */
async function gaidOf(page: Page, index: number) {
  const href = await cell(page, index).locator('a').getAttribute('href')
  return href?.match(/assets\/(\w+)/)?.[1] ?? ''
}

async function scrollDown(page: Page, pixels: number) {
  await page.mouse.move(700, 500)
  await page.mouse.wheel(0, pixels)
  await expect(page).toHaveURL(/at=/)
}

test('the empty library invites', async ({ page, as }) => {
  await as('editor')
  await page.goto('/trash')
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible()
  await expectAccessible(page)
})

test('a picture has its shape before it has come, and only what is in view exists', async ({ page, as }) => {
  await as('editor')
  await page.route(/\/assets\?/, async route => {
    await page.waitForSelector('[data-index="3"]') // cells are there before the assets are
    await route.continue()
  })
  await page.goto('/')
  const before = await cell(page, 2).boundingBox()
  await expect(cell(page, 2).locator('a')).toBeVisible()
  expect(await cell(page, 2).boundingBox()).toEqual(before)
  expect(await page.locator('[data-index]').count()).toBeLessThan(60)
  await status(page, '60 items')
})

test('the place survives a reload, the way back, and stepping through the viewer', async ({ page, as }) => {
  await as('editor')
  await open(page)
  await scrollDown(page, 900)
  const url = page.url()
  const scrolled = () =>
    page.evaluate(() => document.querySelector('[role=grid]')?.getBoundingClientRect().top)
  const top = await scrolled()
  await page.reload()
  await expect.poll(scrolled).toBe(top)

  await page.getByRole('navigation').getByRole('link', { name: 'Trash' }).click()
  await expect(page).toHaveURL(/trash/)
  await page.goBack()
  await expect.poll(scrolled).toBe(top)
  expect(page.url()).toBe(url)

  const index = Number(await page.locator('[data-index]').nth(14).getAttribute('data-index'))
  await cell(page, index).locator('a').click()
  const dialog = page.locator('section[aria-label^="picture"]').first()
  await expect(dialog).toBeVisible()
  for (let i = 0; i < 8; i++) {
    const next = await gaidOf(page, index + i + 1).catch(() => '')
    await page.keyboard.press('ArrowRight')
    if (next) await expect(page).toHaveURL(new RegExp(next))
  }
  // Keys that come faster than the page is drawn count all the same.
  await page.evaluate(() => {
    const left = { key: 'ArrowLeft', bubbles: true, cancelable: true }
    for (let i = 0; i < 3; i++) document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', left))
  })
  await page.keyboard.press('Escape')
  await expect(cell(page, index + 5).locator('a')).toBeFocused()
  await expect(cell(page, index + 5)).toBeInViewport()
})

test('an address leads to its place, also when the asset is gone', async ({ page, as, library }) => {
  await as('editor')
  const at = gaids[20] as string
  const near = page.locator(`a[href*="${gaids[19]}"], a[href*="${gaids[21]}"]`).first()
  await page.goto(`/?at=${at}`)
  await expect(page.locator(`a[href*="${at}"]`)).toBeInViewport()
  await scrollDown(page, 40)
  await library.api('DELETE', `/assets/${at}`)
  await page.reload()
  await expect(near).toBeInViewport()
  await expect(page.locator(`a[href*="${at}"]`)).toHaveCount(0)
  await library.api('POST', `/assets/${at}/restore`)
})

test('selects by click, range, keys and band, and shows what is selected', async ({ page, as }) => {
  await as('editor')
  await open(page)
  await check(page, 1).click()
  await status(page, '1 selected')
  await cell(page, 4)
    .locator('a')
    .click({ modifiers: ['Shift'] })
  await status(page, '4 selected')
  await cell(page, 2)
    .locator('a')
    .click({ modifiers: ['ControlOrMeta'] })
  await status(page, '3 selected')
  await page.keyboard.press('Escape')
  await status(page, '60 items')

  await cell(page, 0).locator('a').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await status(page, '3 selected')
  await page.getByRole('button', { name: 'Show selected' }).click()
  await expect(page.locator('[data-index]')).toHaveCount(3)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(cell(page, 5)).toBeVisible()
  await page.getByRole('button', { name: 'Select all 60' }).click()
  await status(page, '60 selected')
  await cell(page, 1).locator('a').click()
  await status(page, '59 selected')
  await page.getByRole('button', { name: 'Clear the selection' }).click()

  const first = await cell(page, 0).boundingBox()
  const third = await cell(page, 2).boundingBox()
  if (!first || !third) throw new Error('no cells')
  await page.keyboard.down('Shift')
  await page.mouse.move(first.x + 20, first.y + 60)
  await page.mouse.down()
  await page.mouse.move(third.x + 20, third.y + 80, { steps: 4 })
  await page.mouse.up()
  await page.keyboard.up('Shift')
  await status(page, '3 selected')
  await expectAccessible(page)
})

test('a selection survives the viewer and the other view, and a new search gives it back', async ({
  page,
  as,
}) => {
  await as('editor')
  await open(page)
  await check(page, 1).click()
  await check(page, 2).click()
  await page.getByRole('button', { name: 'Show as a table' }).click()
  await expect(page.getByRole('columnheader', { name: 'File name' })).toBeVisible()
  await status(page, '2 selected')
  await expectAccessible(page)
  await page.getByRole('searchbox').or(page.getByRole('combobox')).first().fill('picture-7')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Selection of 2 cleared.')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await status(page, '2 selected')
})

test('the table sorts, shows the columns one chooses, and is kept', async ({ page, as }) => {
  await as('editor')
  await open(page, '/?view=table')
  await page.getByRole('columnheader', { name: 'Title' }).getByRole('button').click()
  await expect(page).toHaveURL(/sort_by=title/)
  await expect(page.getByRole('columnheader', { name: 'Title' })).toHaveAttribute('aria-sort', 'ascending')
  await expect(cell(page, 0)).toContainText('picture-1')
  await page.getByRole('button', { name: 'Choose columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Keywords' }).click()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('columnheader', { name: 'Keywords' })).toBeVisible()
  await cell(page, 0).locator('a').focus()
  await page.keyboard.press('ArrowDown')
  await expect(cell(page, 1).locator('a')).toBeFocused()
  await page.keyboard.press('Space')
  await status(page, '1 selected')
  await open(page, '/?view=table')
  await expect(page.getByRole('columnheader', { name: 'Keywords' })).toBeVisible()
})

test('keywords and status change for all that is selected, and go back', async ({ page, as, library }) => {
  await as('editor')
  const keywords = async (index: number) =>
    (await library.api('GET', `/assets/${await gaidOf(page, index)}`)).data.keywords
  await open(page)
  await library.api('PUT', `/assets/${await gaidOf(page, 0)}`, { keywords: ['harbour'] })
  await check(page, 0).click()
  await check(page, 1).click()
  await page.getByRole('button', { name: 'Keywords' }).click()
  const dialog = page.getByRole('dialog', { name: 'Keywords of 2' })
  await expect(dialog.getByText('1 of 2')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add harbour to all' }).click()
  await expect(dialog.getByText('2 of 2')).toBeVisible()
  await dialog.getByLabel('Add to all').fill('dawn, boats')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('2 changed.')).toBeVisible()
  expect(await keywords(1)).toEqual(['harbour', 'dawn', 'boats'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone.')).toBeVisible()
  expect(await keywords(0)).toEqual(['harbour'])
  expect(await keywords(1)).toEqual([])

  await page.getByRole('button', { name: 'Status' }).click()
  await page.getByRole('menuitem', { name: 'Approved' }).click()
  await expect(page.getByText('2 changed.')).toBeVisible()
})

test('an edit shows what it would change before it does', async ({ page, as }) => {
  await as('editor')
  await open(page)
  await page.keyboard.press('Tab')
  await check(page, 0).click()
  await page.getByRole('button', { name: 'Select all 60' }).click()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Creator' }).fill('Jane Doe')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await expect(page.getByText('60 will change.')).toBeVisible()
  await expect(page.getByText('Jane Doe').first()).toBeVisible()
  await page.getByRole('button', { name: 'Change 60' }).click()
  await expect(page.getByText('60 changed.')).toBeVisible()
})

test('an edit clears fields, and goes back', async ({ page, as, library }) => {
  await as('editor')
  await open(page)
  const gaid = await gaidOf(page, 0)
  const read = async () => (await library.api('GET', `/assets/${gaid}`)).data
  await library.api('PUT', `/assets/${gaid}`, { creator: 'Ada', copyright: 'Museum' })
  await page.reload()
  await check(page, 0).click()
  await check(page, 1).click()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('button', { name: 'Clear Creator for all' }).click()
  await page.getByRole('textbox', { name: 'Copyright' }).fill('Gallery')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  await page.getByRole('button', { name: 'Change 2' }).click()
  await expect(page.getByText('2 changed.')).toBeVisible()
  expect(await read()).toMatchObject({ creator: null, copyright: 'Gallery' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone.')).toBeVisible()
  expect(await read()).toMatchObject({ creator: 'Ada', copyright: 'Museum' })
})

test('a selection is packed, and goes to the trash and back', async ({ page, as }) => {
  await as('editor')
  await open(page)
  await check(page, 0).click()
  await check(page, 1).click()
  await page.getByRole('button', { name: 'Download as ZIP' }).click()
  await expect(page.getByText('The ZIP file is ready.')).toBeVisible()
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await expect(page.getByText('2 moved to the trash.')).toBeVisible()
  await status(page, '58 items')
  await page.getByRole('button', { name: 'Undo' }).click()
  await status(page, '60 items')
})

test('the trash gives back, and deletes for good after a question', async ({ page, as, library }) => {
  await as('editor')
  const own = await library.pictures(62)
  await library.api('DELETE', `/assets/${own[60]}`)
  await library.api('DELETE', `/assets/${own[61]}`)
  await open(page, '/trash')
  await status(page, '2 items')
  await check(page, 0).click()
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('1 restored.')).toBeVisible()
  await status(page, '1 item')
  await check(page, 0).click()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete 1 permanently' }).click()
  await expect(page.getByText('1 deleted permanently.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible()
})

test('months lead along the list', async ({ page, as, library }) => {
  await as('editor')
  for (const [i, gaid] of gaids.slice(0, 40).entries()) {
    const month = String(1 + Math.floor(i / 10)).padStart(2, '0')
    await library.api('PUT', `/assets/${gaid}`, { capture_date: `2024-${month}-15T12:00:00Z` })
  }
  await open(page, '/?sort_by=capture_date')
  const slider = page.getByRole('slider', { name: 'Time' })
  await expect(slider).toHaveAttribute('aria-valuetext', 'April 2024')
  await slider.focus()
  await page.keyboard.press('ArrowDown')
  await expect(slider).toHaveAttribute('aria-valuetext', 'March 2024')
  await page.keyboard.press('Home')
  await expect(slider).toHaveAttribute('aria-valuetext', 'April 2024')
  await page.getByRole('button', { name: 'Select April 2024' }).focus()
  await page.keyboard.press('Enter')
  await status(page, '10 selected')
})

test('who may only look is offered nothing else', async ({ page, as }) => {
  await as('viewer')
  await open(page)
  await check(page, 0).click()
  await expect(page.getByRole('button', { name: 'Download as ZIP' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Move to trash' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toHaveCount(0)
})

test.describe('on a phone', () => {
  test.use({ viewport: phone, hasTouch: true, isMobile: true })

  test('a long press selects, and the bar fits', async ({ page, as }) => {
    await as('editor')
    await open(page)
    const at = await cell(page, 1).boundingBox()
    if (!at) throw new Error('no cell')
    const touch = { x: at.x + at.width / 2, y: at.y + at.height / 2 }
    const input = await page.context().newCDPSession(page)
    await input.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [touch] })
    await status(page, '1 selected')
    await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await status(page, '1 selected')
    await cell(page, 2).locator('a').tap()
    await status(page, '2 selected')
    await expectFits(page)
    await expectAccessible(page)
  })
})
