import { expect, expectAccessible, expectFits, type Page, phone, picture, test } from './kit'

const hour = 3600 * 1000
const at = (hours: number) => new Date(Date.now() + hours * hour).toISOString()
let gaids: string[] = []

const cell = (page: Page, name: string) => page.getByRole('gridcell').filter({ has: page.getByAltText(name) })

test.beforeAll(async ({ library }) => {
  const names = ['free', 'ended', 'ending', 'far', 'early']
  gaids = await library.ingest(...names.map((n, i) => ({ name: `${n}.png`, data: picture(i, 320, 240) })))
  const set = (i: number, body: object) => library.api('PUT', `/assets/${gaids[i]}`, body)
  await set(1, { usage_until: at(-1) })
  await set(2, { usage_until: at(5 * 24 - 1) })
  await set(3, { usage_until: at(400 * 24) })
  await set(4, { usage_from: at(3 * 24) })
})

test('shows in the grid and in the viewer what may not be used, or not for long', async ({ page, as }) => {
  test.slow() // axe looks at three pages in light and in dark
  await as('viewer')
  await page.goto('/')
  await expect(page.getByRole('gridcell')).toHaveCount(5)
  await expect(page.getByText('Expired', { exact: true })).toBeVisible()
  await expect(page.getByText('Ends in 5 days', { exact: true })).toBeVisible()
  await expect(page.getByText('Not yet usable', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/assets/${gaids[1]}`)
  await expect(page.getByText(/^The usage rights ended on .* no longer serve it\.$/)).toBeVisible()
  await expectAccessible(page)
  await page.goto(`/assets/${gaids[4]}`)
  await expect(page.getByText(/^Usable from .* do not serve it yet\.$/)).toBeVisible()
  await page.goto(`/assets/${gaids[2]}`)
  await expect(page.getByText(/^The usage rights end on /)).toBeVisible()
  await page.goto(`/assets/${gaids[3]}`)
  await expect(page.getByRole('heading', { level: 1, name: 'far' })).toBeVisible()
  await expect(page.getByText(/usage rights end/)).toBeHidden()
  await page.setViewportSize(phone)
  await page.goto(`/assets/${gaids[1]}`)
  await expect(page.getByText(/^The usage rights ended on /)).toBeVisible()
  await expectFits(page)
  await expectAccessible(page)
})

test('finds what ends, has ended or is to begin, and keeps that as a search', async ({
  page,
  as,
  library,
}) => {
  await as('editor')
  await page.goto('/')
  await page.getByRole('button', { name: 'Filters' }).click()
  const side = page.getByRole('complementary', { name: 'Filters' })
  await side.getByRole('button', { name: 'Usage rights' }).click()
  const only = async (choice: string, name: string, rule: RegExp) => {
    await side.getByRole('radio', { name: choice }).click()
    await expect(page.getByRole('gridcell')).toHaveCount(1)
    await expect(cell(page, name)).toBeVisible()
    await expect(page.getByText(rule)).toBeVisible()
  }
  await only('Expire within 7 days', 'ending', /Usable until: now – now \+ 7 d/)
  await only('Expired', 'ended', /Usable until .* now/)
  await expectAccessible(page)
  await only('Not yet usable', 'early', /Usable from .* now/)
  await only('Expire within 30 days', 'ending', /Usable until: now – now \+ 30 days/)
  const filters = new URL(page.url()).searchParams.get('filters') ?? ''
  const saved = await library.api('POST', '/saved-searches', {
    name: 'Ending',
    query: { filters: JSON.parse(filters) },
  })
  expect(saved.data.name).toBe('Ending')
  await side.getByRole('radio', { name: 'Expire within 30 days' }).click()
  await expect(page.getByRole('gridcell')).toHaveCount(5)
})
