import { expect, expectAccessible, expectFits, type Page, phone, type Server, test } from './kit'

const viewer = (page: Page) => page.locator('[data-viewer]')
const heading = (page: Page) => viewer(page).getByRole('heading', { level: 1 })
const field = (page: Page, label: string) => viewer(page).getByLabel(label, { exact: true })
const byTitle = 'sort_by=title&sort_direction=asc'

let gaids: string[] = []

/** A field of each type, two of them of a vocabulary with terms below terms. */
async function define(library: Server) {
  const { id } = (await library.api('POST', '/metadata/vocabularies', { key: 'regions', name: 'Regions' }))
    .data
  const term = async (key: string, label: string, parent_id?: number): Promise<number> =>
    (await library.api('POST', `/metadata/vocabularies/${id}/terms`, { key, label, parent_id })).data.id
  const europe = await term('europe', 'Europe')
  const france = await term('france', 'France', europe)
  await term('paris', 'Paris', france)
  await term('asia', 'Asia')
  const types = {
    Note: 'text',
    Story: 'long_text',
    Copies: 'integer',
    Price: 'number',
    Shot: 'date',
    Call: 'datetime',
    Released: 'boolean',
    Source: 'url',
    Region: 'term',
    Markets: 'terms',
  }
  for (const [label, type] of Object.entries(types)) {
    const of = type.startsWith('term') ? { vocabulary_id: id } : {}
    await library.api('POST', '/metadata/fields', { key: label.toLowerCase(), label, type, ...of })
  }
}

test.beforeAll(async ({ library }) => {
  gaids = await library.pictures(5)
  await define(library)
  for (const name of ['Trips', 'Harbours']) await library.api('POST', '/collections', { name })
})

const asset = async (library: Server, i: number) => (await library.api('GET', `/assets/${gaids[i]}`)).data

async function open(page: Page, i: number) {
  await page.goto(`/assets/${gaids[i]}?${byTitle}`)
  await expect(heading(page)).toHaveText(`picture-${i + 1}`)
}

/** Types the parts of a date, and Enter. */
async function fillDate(page: Page, name: string, parts: Record<string, string>) {
  for (const [part, value] of Object.entries(parts))
    await viewer(page)
      .getByRole('spinbutton', { name: `${part}, ${name}` })
      .fill(value)
  await page.keyboard.press('Enter')
}

test('fields of every type are edited in place, and read by who can only look', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  await as('editor')
  await open(page, 0)
  await field(page, 'Note').fill('Look at the sky')
  await page.keyboard.press('Enter')
  await field(page, 'Story').fill('One line\nand another')
  await field(page, 'Copies').fill('12,5')
  await page.keyboard.press('Enter')
  await expect(field(page, 'Copies')).toHaveAccessibleDescription(/Must be an integer/)
  await field(page, 'Copies').fill('12')
  await field(page, 'Price').fill('1299,5')
  await page.keyboard.press('Enter')
  await expect(field(page, 'Copies')).toHaveAccessibleDescription('')
  await fillDate(page, 'Shot', { month: '02', day: '29', year: '2024' })
  await fillDate(page, 'Call', { month: '05', day: '06', year: '2024', hour: '07', minute: '08' })
  await field(page, 'Source').fill('no address')
  await page.keyboard.press('Enter')
  await expect(field(page, 'Source')).toHaveAccessibleDescription(/[Mm]ust be .*URL/)
  await expect(field(page, 'Source')).toHaveValue('no address') // what is wrong stays to be mended
  await field(page, 'Source').fill('https://example.com/boats')
  await page.keyboard.press('Enter')
  const link = viewer(page).getByRole('link', { name: 'Open the link' })
  await expect(link).toHaveAttribute('href', 'https://example.com/boats')
  await expect(link).toHaveAttribute('rel', /noreferrer/)
  await viewer(page)
    .getByRole('button', { name: /Released/ })
    .click()
  await page.getByRole('option', { name: 'Yes' }).click()
  await expect(viewer(page).getByRole('button', { name: /Released/ })).toContainText('Yes')
  await expect
    .poll(async () => (await asset(library, 0)).metadata)
    .toEqual({
      note: 'Look at the sky',
      story: 'One line\nand another',
      copies: 12,
      price: 1299.5,
      shot: '2024-02-29',
      call: expect.stringMatching(/^2024-05-0[567]T/),
      released: true,
      source: 'https://example.com/boats',
    })
  await as('viewer')
  await open(page, 0)
  const panel = viewer(page).getByRole('tabpanel')
  for (const text of ['Look at the sky', '1,299.5', 'Feb 29, 2024', 'Yes']) {
    await expect(panel.getByText(text, { exact: true })).toBeVisible()
  }
  await expect(panel.getByRole('textbox')).toHaveCount(0)
  await expect(link).toBeVisible()
})

test('terms are chosen from their tree, or found in it', async ({ page, as, library }) => {
  await as('editor')
  await open(page, 1)
  const metadata = async () => (await asset(library, 1)).metadata
  await viewer(page).getByRole('button', { name: 'Choose…: Region' }).press('Enter')
  const one = page.getByRole('dialog', { name: 'Region' })
  await expect(one.getByRole('searchbox')).toBeFocused()
  await one.getByRole('row', { name: 'Europe' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(one.getByRole('row', { name: 'France' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(one).toBeHidden()
  await expect.poll(metadata).toEqual({ region: 'france' })
  await viewer(page).getByRole('button', { name: 'Choose…: Region' }).click()
  await one.getByRole('searchbox').fill('par')
  await expect(one.getByRole('option', { name: 'Paris' })).toContainText('Europe › France')
  await expectAccessible(page)
  await one.getByRole('option', { name: 'Paris' }).click()
  await expect.poll(metadata).toEqual({ region: 'paris' })

  await viewer(page).getByRole('button', { name: 'Choose…: Markets' }).click()
  const several = page.getByRole('dialog', { name: 'Markets' })
  await several.getByRole('row', { name: 'Asia' }).click()
  await several.getByRole('row', { name: 'Europe' }).click()
  await page.keyboard.press('Escape')
  await expect(several).toBeHidden()
  await expect.poll(metadata).toEqual({ region: 'paris', markets: ['asia', 'europe'] })
  await viewer(page).getByRole('button', { name: 'Remove Asia' }).click()
  await expect.poll(metadata).toEqual({ region: 'paris', markets: ['europe'] })
})

test('a place is written, shown on a map of its own, and copied', async ({ page, as, library }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await as('editor')
  await open(page, 1)
  await page.getByRole('heading', { name: 'Location' }).click()
  await field(page, 'Place').fill('Elbphilharmonie')
  await page.keyboard.press('Enter')
  await field(page, 'Coordinates').fill('53°32′29″N 9°59′3″E')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('img', { name: 'Elbphilharmonie' })).toBeVisible()
  await expect(field(page, 'Coordinates')).toHaveValue('53.541389, 9.984167')
  expect((await asset(library, 1)).location.place).toBe('Elbphilharmonie')
  await expect(page.getByRole('link', { name: 'Open in a map' })).toHaveAttribute('href', /^geo:53\.54/)
  await page.getByRole('button', { name: 'Copy the coordinates' }).click()
  await expect(page.getByText('Copied.')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('53.541389, 9.984167')
  await as('viewer')
  await open(page, 1)
  await expect(page.getByRole('img', { name: 'Elbphilharmonie' })).toBeVisible()
  await expect(page.getByText('53.541389, 9.984167')).toBeVisible()
})

test('says until when an asset may be used, and warns afterwards', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  await as('editor')
  await open(page, 2)
  await page.getByRole('heading', { name: 'Usage rights' }).click()
  const newYear = { month: '01', day: '01', hour: '12', minute: '00' }
  await fillDate(page, 'Usable from', { ...newYear, year: '2021' })
  await fillDate(page, 'Usable until', { ...newYear, year: '2020' })
  await expect(viewer(page).getByText(/Must be .*after/)).toBeVisible()
  await fillDate(page, 'Usable until', { year: '2022' })
  const year = viewer(page).getByRole('spinbutton', { name: 'year, Usable until' })
  await expect.poll(async () => (await asset(library, 2)).usage_until).toMatch(/^202[12]-/)
  await year.fill('2031')
  await page.keyboard.press('Escape') // takes back what was typed, and no more
  await expect(year).toHaveText('2022')
  await expect(viewer(page)).toBeVisible()
  await expect(page.getByText('The usage rights have expired.')).toBeVisible()
  await field(page, 'Terms of use').fill('Print only')
  await field(page, 'Terms of use').blur()
  await expect.poll(() => asset(library, 2)).toMatchObject({ usage_terms: 'Print only' })
  await viewer(page).getByRole('button', { name: 'Calendar Usable until' }).click()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(page.getByText('The usage rights have expired.')).toBeHidden()
  await expect.poll(() => asset(library, 2)).toMatchObject({ usage_until: null })
})

test('the focal point is clicked on, moved by keys, and cleared', async ({ page, as, library }) => {
  await as('editor')
  await open(page, 2)
  const point = async () => (await asset(library, 2)).focal_point
  await page.getByRole('heading', { name: 'Focal point' }).click()
  const picture = page.getByRole('button', { name: /^Focal point: / })
  await picture.scrollIntoViewIfNeeded()
  const box = await picture.boundingBox()
  if (!box) throw new Error('no picture')
  await picture.click({ position: { x: box.width * 0.25, y: box.height * 0.75 } })
  await expect(picture).toHaveAccessibleName('Focal point: 25 % from the left, 75 % from the top')
  await picture.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(picture).toHaveAccessibleName(/: 29 % from the left, 73 %/)
  await expect.poll(async () => (await point()).y).toBeCloseTo(0.73, 1)
  await expect(heading(page)).toHaveText('picture-3') // the arrows were for the point
  await expectAccessible(page)
  await viewer(page).getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(picture).toHaveAccessibleName('Focal point: none')
  await expect.poll(point).toBeNull()
})

test('a colour searches for more of it', async ({ page, as }) => {
  await as('viewer')
  await open(page, 0)
  const colour = viewer(page)
    .getByRole('link', { name: /^Search for #/ })
    .first()
  const hex = (await colour.getAttribute('title')) ?? ''
  await colour.click()
  await expect(viewer(page)).toBeHidden()
  expect(JSON.parse(new URL(page.url()).searchParams.get('filters') ?? '')).toMatchObject({
    field: 'asset.colors',
    value: hex,
  })
  await expect(page.getByRole('img', { name: /^picture-1,/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Remove Colour is close to #/ })).toBeVisible()
})

test('c puts into a collection, whose chip leads there and takes out', async ({ page, as, library }) => {
  await as('editor')
  await open(page, 3)
  const inside = async () => (await asset(library, 3)).collections.map((c: { name: string }) => c.name).sort()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'Add to collection' })
  await expect(dialog.getByRole('searchbox')).toBeFocused()
  await page.keyboard.type('harb')
  await expect(dialog.getByRole('menuitem')).toHaveText(['Harbours'])
  await expectAccessible(page)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 asset added to Harbours.')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(viewer(page).getByRole('link', { name: 'Harbours' })).toBeVisible()
  await viewer(page).getByRole('button', { name: 'Add to collection' }).click()
  await dialog.getByRole('menuitem', { name: 'Trips' }).click()
  await expect(viewer(page).getByRole('link', { name: 'Trips' })).toBeVisible()
  await viewer(page).getByRole('button', { name: 'Remove from Trips' }).click()
  await expect(page.getByText('Removed from Trips.')).toBeVisible()
  await expect.poll(inside).toEqual(['Harbours'])
  await page
    .getByRole('alertdialog', { name: 'Removed from Trips.' })
    .getByRole('button', { name: 'Undo' })
    .click()
  await expect.poll(inside).toEqual(['Harbours', 'Trips'])
  await viewer(page).getByRole('link', { name: 'Harbours' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Harbours' })).toBeVisible()
})

test('fills the screen, and goes on after each change if told so', async ({ page, as, library }) => {
  await as('editor')
  await open(page, 0)
  await page.keyboard.press('f')
  await expect(viewer(page).locator('[data-full]')).toBeVisible()
  await expect(viewer(page).getByRole('tabpanel')).toHaveCount(0)
  await expect(viewer(page).locator('[data-idle]')).toBeVisible() // nothing moves: what covers the picture goes
  await page.mouse.move(300, 300)
  await expect(viewer(page).locator('[data-idle]')).toHaveCount(0)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(viewer(page).locator('[data-full]')).toHaveCount(0)
  await expect(heading(page)).toHaveText('picture-1')
  await page.keyboard.press('Shift+N')
  await expect(page.getByText('Advances after each change.')).toBeVisible()
  await page.keyboard.press('3')
  await expect(heading(page)).toHaveText('picture-2')
  await page.keyboard.press('a')
  await expect(heading(page)).toHaveText('picture-3')
  await expect.poll(() => asset(library, 0)).toMatchObject({ rating: 3 })
  await expect.poll(() => asset(library, 1)).toMatchObject({ workflow_status: 'approved', rating: null })
  await page.keyboard.press('Shift+N')
  await expect(page.getByText('Stays after each change.')).toBeVisible()
  await page.keyboard.press('2')
  await expect.poll(() => asset(library, 2)).toMatchObject({ rating: 2 })
  await expect(heading(page)).toHaveText('picture-3')
})

test.describe('by touch', () => {
  test.use({ viewport: phone, hasTouch: true, isMobile: true })

  /** Moves fingers from one place to another; each is given in shares of the picture's frame. */
  async function fingers(page: Page, ...ways: [number, number, number, number][]) {
    const input = await page.context().newCDPSession(page)
    const frame = { width: phone.width, height: phone.height }
    const points = (share: number) =>
      ways.map(([x, y, toX, toY], id) => ({
        id,
        x: frame.width * (x + (toX - x) * share),
        y: frame.height * (y + (toY - y) * share),
      }))
    await input.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) })
    for (const share of [0.25, 0.5, 0.75, 1])
      await input.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(share) })
    await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await input.detach()
  }

  test('a swipe turns or closes, and two fingers enlarge', async ({ page, as }) => {
    await as('viewer')
    await page.goto(`/?${byTitle}`)
    await page.getByRole('img', { name: /^picture-2,/ }).tap()
    await expect(heading(page)).toHaveText('picture-2')
    await expectFits(page)
    await fingers(page, [0.8, 0.5, 0.2, 0.5])
    await expect(heading(page)).toHaveText('picture-3')
    await fingers(page, [0.2, 0.5, 0.8, 0.5])
    await expect(heading(page)).toHaveText('picture-2')
    await fingers(page, [0.5, 0.5, 0.42, 0.5]) // too little for a turn
    const shown = viewer(page).locator('div:not([inert]) > div > [data-scale]')
    await expect(shown).toHaveAttribute('data-scale', '1.00')
    await fingers(page, [0.4, 0.5, 0.2, 0.5], [0.6, 0.5, 0.8, 0.5])
    await expect(shown).toHaveAttribute('data-scale', /^[2-9]/)
    await fingers(page, [0.8, 0.5, 0.2, 0.5]) // now it moves the picture
    await expect(heading(page)).toHaveText('picture-2')
    await fingers(page, [0.1, 0.5, 0.4, 0.5], [0.9, 0.5, 0.6, 0.5])
    await expect(shown).toHaveAttribute('data-scale', '1.00')
    await fingers(page, [0.5, 0.4, 0.5, 0.8])
    await expect(viewer(page)).toBeHidden()
  })
})
