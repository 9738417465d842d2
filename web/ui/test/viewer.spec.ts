import { expect, expectAccessible, expectFits, type Page, phone, picture, test } from './kit'

/** The dialog that shows one asset. */
function viewer(page: Page) {
  return page.locator('[data-viewer]')
}

function heading(page: Page) {
  return viewer(page).getByRole('heading', { level: 1 })
}

const byTitle = 'sort_by=title&sort_direction=asc'

let gaids: string[] = []
test.beforeAll(async ({ library }) => {
  test.setTimeout(60_000)
  gaids = await library.pictures(6)
  const large = { name: 'large.png', data: picture(40, 1800, 600) }
  gaids.push(...(await library.ingest(large)))
})

/** Opens one asset of the library, the latest first. */
async function open(page: Page, gaid = gaids[3]) {
  await page.goto(`/assets/${gaid}?${byTitle}`)
  await expect(viewer(page).getByRole('img').first()).toBeVisible({ timeout: 15_000 })
}

test('steps through the result by keys, the strip and back', async ({ page, as }) => {
  await as('editor')
  await page.goto(`/?${byTitle}`)
  await page.getByRole('img', { name: /^picture-5,/ }).click()
  await expect(heading(page)).toHaveText('picture-5')
  await expect(page).toHaveTitle(/picture-5/)
  await expect(page).toHaveURL(new RegExp(gaids[4] ?? ''))
  await page.keyboard.press('ArrowRight')
  await expect(heading(page)).toHaveText('picture-6')
  await page.keyboard.press('p')
  await expect(heading(page)).toHaveText('picture-5')
  await page.keyboard.press('s')
  const strip = viewer(page).getByRole('navigation', { name: 'Film strip' })
  await strip.getByRole('button', { name: /picture-2/ }).click()
  await expect(heading(page)).toHaveText('picture-2')
  await strip.getByRole('button', { name: /picture-3/ }).click({ modifiers: ['Control'] })
  await expect(strip.getByRole('button', { name: /picture-3/ })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('s')
  await page.goBack()
  await expect(viewer(page)).toBeHidden()
  await expect(page.getByRole('toolbar').getByText('1 selected')).toBeVisible()
})

test('enlarges to actual size and back', async ({ page, as }) => {
  await as('viewer')
  await open(page, gaids[6])
  const shown = viewer(page).locator('[data-scale]').first()
  await expect(shown).toHaveAttribute('data-scale', '1.00')
  const original = page.waitForResponse(r => r.url().endsWith('/download'))
  await page.keyboard.press('z')
  await original
  await expect(shown).not.toHaveAttribute('data-scale', '1.00')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('z')
  await expect(shown).toHaveAttribute('data-scale', '1.00')
  await viewer(page).locator('[data-scale]').first().dblclick()
  await expect(shown).not.toHaveAttribute('data-scale', '1.00')
  await page.keyboard.press('Escape')
  await expect(viewer(page)).toBeHidden()
})

test('fills the frame with what is drawn in any size', async ({ page, as, library }) => {
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>'
  const [gaid] = await library.ingest({ name: 'sketch.svg', data: Buffer.from(drawing) })
  await as('viewer')
  await open(page, gaid)
  const box = await viewer(page).locator('[data-scale]:not([inert] *)').boundingBox()
  expect(box?.width).toBeGreaterThan(400)
})

test('edits fields in place, with the server’s messages at the field', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  await as('editor')
  await open(page, gaids[6])
  await viewer(page).getByLabel('Title', { exact: true }).fill('Harbour at dawn')
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Harbour at dawn')
  await page.getByLabel('Description', { exact: true }).fill('Boats leave.')
  await page.getByLabel('Creator').fill('Ada')
  await page.getByLabel('Creator').blur()
  await page.getByLabel('Add keywords').fill('sea, boats')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('row', { name: 'boats' })).toBeVisible()
  await viewer(page).getByText('3 stars').or(page.getByLabel('3 stars')).first().click({ force: true })
  await expect(page.getByRole('radio', { name: '3 stars' })).toBeChecked()
  await page.getByRole('button', { name: 'Calendar Taken' }).click()
  await page.getByRole('gridcell').getByText('15', { exact: true }).click()
  const taken = page.getByRole('group', { name: 'Taken' })
  await expect(taken.getByRole('spinbutton', { name: 'day, Taken' })).toHaveText('15')
  await taken.getByRole('spinbutton', { name: 'hour, Taken' }).fill('09')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Location' }).click()
  await page.getByLabel('Coordinates', { exact: true }).fill('53.54, 9.98')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('img', { name: '53.54, 9.98' })).toBeVisible()
  await page.getByLabel('Coordinates', { exact: true }).fill('nowhere')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Coordinates', { exact: true })).toHaveAccessibleDescription(/greater than 90/)
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('Coordinates', { exact: true })).toHaveValue('53.54, 9.98')
  const asset = (await library.api('GET', `/assets/${gaids[6]}`)).data
  expect(asset).toMatchObject({
    title: 'Harbour at dawn',
    description: 'Boats leave.',
    creator: 'Ada',
    keywords: ['sea', 'boats'],
    rating: 3,
    location: { latitude: 53.54, longitude: 9.98 },
    capture_date: expect.stringMatching(/-15T/),
  })
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByText('Harbour at dawn').last()).toBeVisible()
})

test('what somebody else changed meanwhile is not overwritten unasked', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 412 /)
  await as('editor')
  await page.route('**/api/v1/stream*', route => route.abort('blockedbyclient'))
  expectErrors(/BLOCKED_BY_CLIENT/)
  await open(page, gaids[1])
  await expect(page.getByLabel('Creator')).toHaveValue('')
  await library.api('PUT', `/assets/${gaids[1]}`, { creator: 'Grace', copyright: '© Grace' })
  await page.getByLabel('Description', { exact: true }).fill('Mine alone')
  await page.getByLabel('Description', { exact: true }).blur()
  await expect(page.getByLabel('Copyright')).toHaveValue('© Grace') // their change came along
  await library.api('PUT', `/assets/${gaids[1]}`, { creator: 'Lise' })
  await page.getByLabel('Creator').fill('Ada')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Meanwhile, Admin changed this to')
  await expect(page.getByRole('alert')).toContainText('Lise')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect(page.getByRole('alert')).toBeHidden()
  const asset = (await library.api('GET', `/assets/${gaids[1]}`)).data
  expect(asset).toMatchObject({ creator: 'Ada', description: 'Mine alone' })
})

test('keys rate, set the status and delete, and take it back', async ({ page, as, library }) => {
  await as('editor')
  const read = async () => (await library.api('GET', `/assets/${gaids[2]}`)).data
  await open(page, gaids[2])
  await page.keyboard.press('4')
  await expect(page.getByText('picture-3: ★★★★')).toBeVisible()
  await page.keyboard.press('a')
  await expect(page.getByText('picture-3: Approved')).toBeVisible()
  await expect.poll(read).toMatchObject({ rating: 4, workflow_status: 'approved' })
  await page.keyboard.press('u')
  await expect.poll(read).toMatchObject({ rating: 4, workflow_status: 'draft' })
  await page.keyboard.press('k')
  await page.getByRole('combobox', { name: /Keywords/ }).fill('quay')
  await page.keyboard.press('Enter')
  await expect.poll(read).toMatchObject({ keywords: ['quay'] })
  await page.keyboard.press('Delete')
  await expect(page.getByText('picture-3 moved to the trash.')).toBeVisible()
  await expect(heading(page)).toHaveText('picture-4')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(read).toMatchObject({ deleted_at: null })
})

test('the grid knows the same keys, and ? shows them', async ({ page, as, library }) => {
  await as('editor')
  await page.goto(`/?${byTitle}`)
  await page.getByRole('gridcell').first().getByRole('link').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowRight')
  await expect(page.getByRole('toolbar').getByText('2 selected')).toBeVisible()
  await page.keyboard.press('5')
  await expect(page.getByText('2 assets: ★★★★★')).toBeVisible()
  const rating = async (i: number) => (await library.api('GET', `/assets/${gaids[i]}`)).data.rating
  await expect.poll(() => rating(6)).toBe(5)
  await expect.poll(() => rating(0)).toBe(5)
  await page.keyboard.press('Control+z')
  await expect.poll(() => rating(0)).toBe(null)
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(keys).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(keys).toBeHidden()
})

test('who can only look is offered nothing else', async ({ page, as }) => {
  await as('viewer')
  await open(page, gaids[0])
  await expect(page.getByRole('tab', { name: 'File' })).toBeVisible()
  await expect(viewer(page).getByRole('textbox')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Move to trash' })).toHaveCount(0)
  await page.keyboard.press('5')
  await page.keyboard.press('Delete')
  await expect(heading(page)).toHaveText('picture-1')
  await page.getByRole('button', { name: 'Download' }).click()
  for (const name of [/^Original \(/, 'Original with metadata']) {
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name }).click()
    expect((await download).suggestedFilename()).toBe('picture-1.png')
    await page.getByRole('button', { name: 'Download' }).click()
  }
})

test('says what is not there, and what is in the trash', async ({ page, as, library, expectErrors }) => {
  expectErrors(/ 404 /)
  await as('editor')
  await page.goto('/assets/01ARZ3NDEKTSV4RRFFQ69G5FAV')
  await expect(page.getByText('Asset not found')).toBeVisible()
  await library.api('DELETE', `/assets/${gaids[5]}`)
  await page.goto(`/assets/${gaids[5]}`)
  await expect(page.getByText('This asset is in the trash.')).toBeVisible()
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('This asset is in the trash.')).toBeHidden()
})

test('the viewer is accessible, and fits a phone', async ({ page, as }) => {
  await as('editor')
  test.slow()
  await open(page)
  await page.keyboard.press('s')
  for (const name of ['File', 'History', 'Details']) {
    await page.getByRole('tab', { name }).click()
    await expect(page.getByRole('tabpanel', { name })).toBeVisible()
    await expectAccessible(page)
  }
  await page.keyboard.press('s')
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('shows what is similar', async ({ page, as, library }) => {
  await as('editor')
  const data = picture(77, 400, 300)
  const [one] = await library.ingest({ name: 'one.png', data })
  const [two] = await library.ingest({ name: 'two.png', data: picture(77, 800, 600) })
  await expect
    .poll(async () =>
      (await library.api('GET', `/assets/${one}/similar`)).data.map((a: { gaid: string }) => a.gaid),
    )
    .toContain(two)
  await open(page, one)
  await page.keyboard.press('m')
  await expect(page.getByRole('heading', { level: 1, name: 'Similar to one' })).toBeVisible()
  await expect(
    page
      .getByRole('gridcell')
      .first()
      .getByRole('img', { name: /^two, landscape format/ }),
  ).toBeVisible()
  await expectAccessible(page)
})

test('merges duplicates, and takes it back', async ({ page, as, library }) => {
  test.slow()
  const files = [300, 600].map(w => ({ name: `${w}.png`, data: picture(93, w, w / 2) }))
  const [small, large] = await library.ingest(...files)
  await library.api('PUT', `/assets/${small}`, { keywords: ['pier'], rating: 4 })
  const trashed = async () => (await library.api('GET', `/assets/${small}?trashed=with`)).data.deleted_at
  await as('editor')
  await page.goto('/duplicates')
  const group = page.getByRole('region').filter({ hasText: '300.png' })
  await expect(group.getByRole('radio', { name: /suggested/ })).toBeChecked()
  await expectAccessible(page)
  await group.focus()
  await page.keyboard.press('v')
  const compare = page.getByRole('dialog', { name: 'Compare' })
  await compare.getByRole('button', { name: 'Zoom in' }).click()
  await expect(compare.locator('[data-scale="1.50"]')).toHaveCount(2)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await group.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('600 kept, 1 moved to the trash.')).toBeVisible()
  await expect(group).toBeHidden()
  expect((await library.api('GET', `/assets/${large}`)).data).toMatchObject({ keywords: ['pier'], rating: 4 })
  expect(await trashed()).not.toBeNull()
  await page.keyboard.press('u')
  await expect(group).toBeVisible()
  expect(await trashed()).toBeNull()
  await page.setViewportSize(phone)
  await expectFits(page)
})
