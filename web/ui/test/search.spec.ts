import { expect, expectAccessible, expectFits, type Page, phone, type Server, test } from './kit'

const rule = (field: string, operator: string, value?: unknown) => ({
  type: 'filter',
  field,
  operator,
  value,
})
const all = (...rules: object[]) => ({ type: 'group', operator: 'and', rules })
const at = (filters: object, q = '') =>
  `/?${new URLSearchParams({ ...(q && { q }), filters: JSON.stringify(filters) })}`
const filtersOf = (page: Page) => JSON.parse(new URL(page.url()).searchParams.get('filters') ?? 'null')
const cells = (page: Page) => page.getByRole('gridcell').locator('a')

/** Eight pictures that searches can tell apart, a collection, a vocabulary and a field of it. */
async function fill(library: Server) {
  const gaids = await library.pictures(8)
  const words = [
    'Harbour at dawn',
    'Harbour <b>boats</b>',
    'City by night',
    'City at dawn',
    'Forest',
    'Forest lake',
    'Desert',
    'Desert wind',
  ]
  const { id: vocabulary } = (
    await library.api('POST', '/metadata/vocabularies', { key: 'places', name: 'Places' })
  ).data
  for (const [key, label] of [
    ['north', 'The North'],
    ['south', 'The South'],
  ]) {
    await library.api('POST', `/metadata/vocabularies/${vocabulary}/terms`, { key, label })
  }
  await library.api('POST', '/metadata/fields', {
    key: 'region',
    label: 'Region',
    type: 'term',
    vocabulary_id: vocabulary,
    is_filterable: true,
  })
  for (const [i, gaid] of gaids.entries()) {
    await library.api('PUT', `/assets/${gaid}`, {
      title: words[i],
      keywords: [i < 4 ? 'built' : 'nature', ...(i % 2 ? ['odd'] : [])],
      capture_date: `20${20 + (i % 3)}-06-01T12:00:00Z`,
      metadata: { region: i < 4 ? 'north' : 'south' },
    })
  }
  const collection = (await library.api('POST', '/collections', { name: 'Trip to the sea' })).data.id
  await library.api('POST', `/collections/${collection}/assets`, { gaids: gaids.slice(0, 3) })
  return { gaids, collection }
}

let filled: ReturnType<typeof fill> | undefined
const filling = (library: Server) => {
  filled ??= fill(library)
  return filled
}
test.beforeEach(async ({ library, as }) => {
  await filling(library)
  await as('editor')
})

test('the box searches as one types, in one step of the history', async ({ page }) => {
  await page.goto('/')
  await expect(cells(page)).toHaveCount(8)
  await page.keyboard.press('/')
  const box = page.getByRole('combobox', { name: 'Search the library' })
  await expect(box).toBeFocused()
  await page.keyboard.type('harbour', { delay: 90 })
  await expect(page).toHaveURL(/q=harbour/)
  await page.keyboard.press('Escape')
  await expect(box).not.toBeFocused()
  await expect(cells(page).first()).toHaveAccessibleName(/Harbour/)
  await page.goBack()
  await expect(page).toHaveURL(/\/$/)
  await expect(cells(page)).toHaveCount(8)
  await expect(box).toHaveValue('')
  // It is there again, until it is forgotten.
  await page.keyboard.press('/')
  await expect(page.getByRole('option', { name: 'harbour' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/q=harbour/)
  await page.keyboard.press('/')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.getByRole('option', { name: 'Clear recent searches' }).click()
  await expect(page.getByRole('option')).toHaveCount(0)
})

test('who leaves the box with the last key searches all the same', async ({ page }) => {
  await page.goto('/')
  await expect(cells(page)).toHaveCount(8)
  await page.keyboard.press('/')
  await expect(page.getByRole('combobox', { name: 'Search the library' })).toBeFocused()
  await page.keyboard.type('desert')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/q=desert$/)
  await expect(cells(page).first()).toHaveAccessibleName(/Desert/)
  await page.goto('/')
  await expect(cells(page)).toHaveCount(8)
  await page.keyboard.press('/')
  await expect(page.getByRole('option', { name: 'desert', exact: true })).toBeVisible()
})

test('the box says where it searches on other pages', async ({ page, library }) => {
  const { collection } = await filling(library)
  await page.goto(`/collections/${collection}`)
  await expect(cells(page)).toHaveCount(3)
  const box = page.getByRole('combobox', { name: 'Search the library' })
  await box.fill('dawn')
  await page.getByRole('option', { name: 'Only here' }).click()
  await expect(page).toHaveURL(new RegExp(`/collections/${collection}\\?q=dawn`))
  await box.fill('city')
  await page.getByRole('option', { name: 'In the whole library' }).click()
  await expect(page).toHaveURL(/\/\?q=city$/)
  await expect(cells(page).first()).toHaveAccessibleName(/City/)
})
test('results say why they are there, as text', async ({ page }) => {
  await page.goto('/?q=boats')
  const first = cells(page).first()
  await first.focus()
  await expect(first.locator('mark')).toHaveText('boats')
  await expect(first.locator('[data-reasons]')).toContainText('Harbour <b>boats</b>')
  await expect(first.locator('[data-reasons]')).toContainText('title')
  await expect(first.locator('[data-reasons] b')).toHaveCount(0)
  await page.goto('/')
  await expect(page.locator('[data-reasons]')).toHaveCount(0)
})

test('a custom field is a prefix, and one that names no field is told', async ({ page }) => {
  await page.goto('/?q=region%3Anorth%20dawn')
  await expect(cells(page)).toHaveCount(4)
  await expect(page.getByRole('status').filter({ hasText: 'field' })).toHaveCount(0)
  await page.goto('/?q=titel%3Aharbour')
  await expect(page.getByText('“titel” is not a field; it was searched for as a word.')).toBeVisible()
  await expect(cells(page).first()).toHaveAccessibleName(/Harbour/)
  await expectAccessible(page)
  await page.goto('/?q=harbuor')
  await expect(cells(page).first().locator('mark').first()).toHaveText('Harbour')
})

test('what is found for its meaning alone is counted, left out and selected as it is shown', async ({
  page,
  library,
}) => {
  const query = '/assets?q=desert+woodland'
  await expect.poll(async () => (await library.api('GET', query)).meta.meaning).toBe('ready')
  const { words, meaning } = (await library.api('GET', query)).meta.matches
  expect(words).toBe(2)
  expect(meaning).toBeGreaterThan(0)
  await page.goto('/?q=desert+woodland')
  await expect(page.getByText(`Text: 2, semantic: ${meaning}`)).toBeVisible()
  await expect(cells(page)).toHaveCount(2 + meaning)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Text search only' }).press('Enter')
  await expect(page).toHaveURL(/meaning=false/)
  await expect(cells(page)).toHaveCount(2)
  await expect(page.getByText('Text: 2', { exact: true })).toBeVisible()
  await page.reload()
  await expect(cells(page)).toHaveCount(2)
  // What is selected is what is shown, with meaning or without.
  const ratings = async () => (await library.api('GET', `${query}&facets=rating`)).meta.facets.rating
  await rateAll(page, 2, '2 stars')
  expect(await ratings()).toEqual([{ value: 2, count: 2 }])
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await page.getByRole('button', { name: 'Include semantic search' }).click()
  await expect(page).not.toHaveURL(/meaning/)
  await expect(cells(page)).toHaveCount(2 + meaning)
  await rateAll(page, 2 + meaning, '3 stars')
  expect(await ratings()).toEqual([{ value: 3, count: 2 + meaning }])
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect(page.getByText('Undone.')).toBeVisible()
  expect(await ratings()).toEqual([{ value: 2, count: 2 }])
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await page.setViewportSize(phone)
  await expect(page.getByText(`Text: 2, semantic: ${meaning}`)).toBeVisible()
  await expectFits(page)
})

/** Gives all results a rating. */
async function rateAll(page: Page, count: number, stars: string) {
  await cells(page).first().focus()
  await page.keyboard.press('Space')
  if (count > 1) await page.getByRole('button', { name: `Select all ${count}` }).click()
  await page.getByRole('button', { name: 'Rating' }).click()
  await page.getByRole('menuitem', { name: stars }).click()
  await expect(page.getByText(`${count} changed.`)).toBeVisible()
}

test('facets narrow the result, together and one after the other', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  const side = page.getByRole('complementary', { name: 'Filters' })
  await expect(side.getByRole('checkbox', { name: /built/ })).toBeVisible()
  await side.getByText('built').click()
  await expect(cells(page)).toHaveCount(4)
  await expect(side.getByRole('checkbox', { name: /nature/ })).toBeVisible() // counted without the facet itself
  await side.getByText('nature').click()
  await expect(cells(page)).toHaveCount(8)
  await side.getByText('built').click()
  await expect(cells(page)).toHaveCount(4)
  await side.getByRole('button', { name: /Region/ }).click()
  await side.getByText('The South').click()
  await expect(page.getByRole('button', { name: 'Remove Region: The South' })).toBeVisible()
  expect(filtersOf(page)).toEqual(
    all(rule('asset.keywords', 'in', ['nature']), rule('metadata.region', 'in', ['south'])),
  )
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Remove Keywords: nature' }).click()
  await expect(page.getByRole('button', { name: /Remove Keywords/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(cells(page)).toHaveCount(8)
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Remove Region: The South' })).toBeVisible()
})

test('colours and dates are chosen beside the results', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  const side = page.getByRole('complementary', { name: 'Filters' })
  await side.getByRole('button', { name: 'Date', exact: true }).click()
  await side.getByRole('spinbutton', { name: /month, Start/ }).click()
  await page.keyboard.type('01012021')
  await page.keyboard.type('12312021')
  await expect.poll(() => filtersOf(page)?.rules[0]?.value).toEqual(['2021-01-01', '2021-12-31'])
  await expect(cells(page)).toHaveCount(3)
  await side.getByRole('radio', { name: 'Last year' }).click()
  const last = new Date().getFullYear() - 1
  await expect.poll(() => filtersOf(page)?.rules[0]?.value).toEqual([`${last}-01-01`, `${last}-12-31`])
  await side.getByRole('radio', { name: 'Last year' }).click()
  await expect(cells(page)).toHaveCount(8)
  await side.getByRole('button', { name: 'Colour', exact: true }).click()
  await side.getByRole('radio', { name: 'Blue' }).click()
  await expect.poll(() => filtersOf(page)).toEqual(all(rule('asset.colors', 'color_near', '#1976d2')))
  await side.getByRole('slider', { name: 'Tolerance' }).press('End')
  await expect
    .poll(() => filtersOf(page))
    .toEqual(all(rule('asset.colors', 'color_near', { color: '#1976d2', distance: 50 })))
  await expectAccessible(page)
})

test('rules are built by hand, with the count as they change', async ({ page }) => {
  await page.goto(at(all(rule('asset.keywords', 'in', ['built']))))
  await page.getByRole('button', { name: 'Edit as rules' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rules' })
  await expect(dialog.getByRole('status')).toHaveText('4 assets match')
  await dialog.getByRole('button', { name: 'Add a group' }).click()
  await expect(dialog.getByRole('status')).toHaveText('Some rules still need a value.')
  const inner = dialog.getByRole('group', { name: 'Group of rules 2' })
  // By keyboard: a field, then its value.
  const keyed = inner.getByRole('group', { name: 'Rule 2.1' })
  await keyed.getByRole('button', { name: /Field/ }).press('Enter')
  await page.keyboard.type('Title')
  await page.keyboard.press('Enter')
  await keyed.getByRole('textbox', { name: 'Value' }).fill('dawn')
  await expect(dialog.getByRole('status')).toHaveText('2 assets match')
  await inner.getByRole('button', { name: 'Add a rule' }).click()
  await inner.getByRole('group', { name: 'Rule 2.2' }).getByRole('combobox').fill('odd')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('status')).toHaveText('3 assets match')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Show results' }).click()
  await expect(cells(page)).toHaveCount(3)
  expect(filtersOf(page)).toEqual(
    all(rule('asset.keywords', 'in', ['built']), {
      type: 'group',
      operator: 'or',
      rules: [rule('asset.title', 'contains', 'dawn'), rule('asset.keywords', 'in', ['odd'])],
    }),
  )
})

test('downloads and views are counted in all or in the last days', async ({
  page,
  library,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  const { gaids } = await filling(library)
  expect((await page.request.get(`/api/v1/assets/${gaids[0]}/download`)).ok()).toBe(true)
  await page.goto(at(all(rule('asset.downloads', 'greater_than_or_equal', 1))))
  await expect(cells(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Edit as rules' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rules' })
  const first = dialog.getByRole('group', { name: 'Rule 1' })
  const period = first.getByRole('textbox', { name: 'In the last … days' })
  await expect(period).toHaveAttribute('placeholder', 'All time')
  await period.fill('4000')
  await expect(period).toHaveAccessibleDescription(/whole number from 1 to 3650/)
  await period.fill('30')
  await expect(dialog.getByRole('status')).toHaveText('1 asset matches')
  await expectAccessible(page)
  await first.getByRole('button', { name: /Comparison/ }).click()
  await page.getByRole('option', { name: 'is at most' }).click()
  await first.getByRole('textbox', { name: 'Value' }).fill('0')
  await expect(dialog.getByRole('status')).toHaveText('7 assets match')
  await dialog.getByRole('button', { name: 'Show results' }).click()
  await expect(cells(page)).toHaveCount(7)
  expect(filtersOf(page)).toEqual(all(rule('asset.downloads', 'less_than_or_equal', { value: 0, days: 30 })))
  await expect(page.getByRole('button', { name: /Downloads \(last 30 days\) is at most 0/ })).toBeVisible()

  await page.getByRole('button', { name: 'Edit as rules' }).click()
  await first.getByRole('button', { name: /Comparison/ }).click()
  await page.getByRole('option', { name: 'is one of' }).click()
  await expect(first.getByRole('row', { name: '0' })).toBeVisible()
  await expect(period).toHaveValue('30')
  await period.fill('')
  await dialog.getByRole('button', { name: 'Show results' }).click()
  await expect.poll(() => filtersOf(page)).toEqual(all(rule('asset.downloads', 'in', [0])))
})

test('a result goes to the trash after its search is shown as it was understood', async ({ page }) => {
  await page.goto('/?q=title:desert -title:wind')
  await expect(cells(page)).toHaveCount(1)
  await cells(page).first().press('Control+a')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Creator' }).fill('Ada')
  await page.getByRole('button', { name: 'Preview changes' }).click()
  const search = 'Search: title:desert NOT title:wind'
  await expect(page.getByRole('dialog', { name: 'Edit 1' }).getByText(search, { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Move to trash' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move 1 to the trash?' })
  await expect(dialog.getByText(search, { exact: true })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(cells(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await dialog.getByRole('button', { name: 'Move 1 to the trash' }).click()
  await expect(page.getByText('1 moved to the trash.')).toBeVisible()
  await expect(cells(page)).toHaveCount(0)

  await page.goto('/trash?q=title:desert -title:wind')
  await cells(page).first().press('Control+a')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByRole('dialog').getByText(search, { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('1 restored.')).toBeVisible()
})

test('people are added to many assets, counted beside the result, and removed', async ({ page, library }) => {
  const { gaids } = await filling(library)
  const peopleOf = async (i: number) => (await library.api('GET', `/assets/${gaids[i]}`)).data.people
  await library.api('PUT', `/assets/${gaids[4]}`, { people: ['Grace Hopper'] })
  await page.goto(at(all(rule('asset.title', 'contains', 'forest'))))
  await expect(cells(page)).toHaveCount(2)
  await cells(page).first().press('Control+a')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit 2' })
  await dialog.getByRole('textbox', { name: 'Add people' }).fill('Lovelace, Ada; Hedy Lamarr')
  await dialog.getByRole('textbox', { name: 'Remove people' }).fill('grace hopper')
  await dialog.getByRole('button', { name: 'Preview changes' }).click()
  await expect(dialog.getByText('Grace Hopper → Lovelace, Ada, Hedy Lamarr')).toBeVisible()
  await dialog.getByRole('button', { name: 'Back' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Add people' })).toHaveValue('Lovelace, Ada; Hedy Lamarr')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Preview changes' }).click()
  await dialog.getByRole('button', { name: 'Change 2' }).click()
  await expect(page.getByText('2 changed.')).toBeVisible()
  expect(await peopleOf(4)).toEqual(['Lovelace, Ada', 'Hedy Lamarr'])

  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone.')).toBeVisible()
  expect(await peopleOf(4)).toEqual(['Grace Hopper'])
  expect(await peopleOf(5)).toEqual([])

  await page.goto('/')
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  const side = page.getByRole('complementary', { name: 'Filters' })
  await side.getByRole('button', { name: 'People', exact: true }).click()
  await side.getByText('Grace Hopper').click()
  await expect(cells(page)).toHaveCount(1)
  expect(filtersOf(page)).toEqual(all(rule('asset.people', 'in', ['Grace Hopper'])))
})

test('collections and terms are found by their names', async ({ page, library }) => {
  const { collection } = await filling(library)
  await page.goto(
    at(all(rule('asset.collections', 'in', [collection]), rule('metadata.region', 'in', ['north']))),
  )
  await expect(page.getByRole('button', { name: 'Remove Collections: Trip to the sea' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove Region: The North' })).toBeVisible()
  await page.getByRole('button', { name: 'Edit as rules' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rules' })
  const terms = dialog.getByRole('group', { name: 'Rule 2' })
  await terms.getByRole('button', { name: 'Remove The North' }).click()
  await terms.getByRole('combobox').fill('sou')
  await page.getByRole('option', { name: 'The South' }).click()
  await expect(dialog.getByRole('status')).toHaveText('0 assets match')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(cells(page)).toHaveCount(3)
})

test('what the server finds wrong stands at its rule', async ({ page, expectErrors }) => {
  expectErrors(/ 422 /)
  await page.goto('/')
  await page.goto(at(all(rule('asset.keywords', 'in', ['built']))))
  await page.getByRole('button', { name: 'Edit as rules' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rules' })
  await dialog.getByRole('radio', { name: 'JSON' }).click()
  const json = dialog.getByRole('textbox')
  await json.fill('{"type"')
  await expect(json).toHaveAccessibleDescription(/not valid JSON/)
  await json.fill(
    JSON.stringify(all(rule('asset.keywords', 'in', ['built']), rule('asset.width', 'greater_than', 'wide'))),
  )
  await expect(json).toHaveAccessibleDescription(/filters\.rules\.1\.value: Must be a number/)
  await dialog.getByRole('radio', { name: 'Rules' }).click()
  const second = dialog.getByRole('group', { name: 'Rule 2' })
  await expect(second.getByRole('textbox')).toHaveAccessibleDescription(/[Mm]ust be a number/)
  await second.getByRole('textbox').fill('100')
  await expect(dialog.getByRole('status')).toHaveText('4 assets match')
})

test('an empty result shows ways out', async ({ page }) => {
  await page.goto(
    at(all(rule('asset.keywords', 'in', ['built']), rule('asset.title', 'contains', 'forest')), 'forest'),
  )
  await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: /without “Keywords: built”/ }).click()
  await expect(cells(page)).toHaveCount(2)
})

test('searches are saved, renamed, replaced and deleted', async ({ page }) => {
  await page.goto(at(all(rule('asset.keywords', 'in', ['built'])), 'dawn'))
  await page.getByRole('button', { name: 'Saved searches' }).click()
  const dialog = page.getByRole('dialog', { name: 'Saved searches' })
  await dialog.getByLabel('Save this search as').fill('Mornings')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: 'Mornings', exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Actions for Mornings' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Early mornings')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('button', { name: 'Early mornings', exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  // It is offered by the box, and leads to the same.
  await page.goto('/collections')
  await page.getByRole('combobox', { name: 'Search the library' }).click()
  await page.getByRole('option', { name: 'Early mornings' }).click()
  await expect(page).toHaveURL(/q=dawn/)
  expect(filtersOf(page)).toEqual(all(rule('asset.keywords', 'in', ['built'])))
  await page.getByRole('button', { name: 'Saved searches' }).click()
  await dialog.getByRole('button', { name: 'Actions for Early mornings' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(dialog.getByText('Nothing saved yet')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(dialog.getByRole('button', { name: 'Early mornings', exact: true })).toBeVisible()
})

test('the help tells what can be typed', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('button', { name: 'Search syntax' }).click()
  const help = page.getByRole('dialog', { name: 'Search syntax' })
  await expect(help.getByText('harbour -boat')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
})

test('on a phone the box and the filters are over the list', async ({ page }) => {
  test.slow() // axe looks at it twice in light and in dark
  await page.setViewportSize(phone)
  await page.goto('/')
  await expect(cells(page)).toHaveCount(8)
  const box = page.getByRole('combobox', { name: 'Search the library' })
  await box.click()
  expect((await box.boundingBox())?.width).toBeGreaterThan(300)
  await box.fill('dawn')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Leave the search' }).click()
  await expect(page).toHaveURL(/q=dawn/)
  await page.getByRole('button', { name: 'Filters', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Filters' })
  await dialog.getByText('odd').click()
  await expectAccessible(page)
  await expectFits(page)
  await dialog.getByRole('button', { name: 'Show results' }).click()
  await expect(page.getByRole('button', { name: 'Remove Keywords: odd' })).toBeVisible()
  await page.getByRole('button', { name: 'Edit as rules' }).click()
  await expectAccessible(page)
  await expectFits(page)
})

test('the box suggests what there is', async ({ page }) => {
  await page.goto('/collections')
  await page.getByRole('combobox', { name: 'Search the library' }).fill('sea')
  await expect(page.getByRole('option', { name: 'Trip to the sea' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('combobox').fill('buil')
  await page.getByRole('option', { name: /built/ }).click()
  await expect(page.getByRole('button', { name: 'Remove Keywords: built' })).toBeVisible()
  await page.getByRole('combobox').fill('deser')
  await page.getByRole('option', { name: 'Desert wind' }).click()
  await expect(page).toHaveURL(/assets\/[0-9A-Z]{26}/)
})
