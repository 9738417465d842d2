import type { Locator } from '@playwright/test'
import { expect, expectAccessible, expectFits, type Page, phone, type Server, test } from './kit'

const made: Record<string, number> = {}
let gaids: string[] = []

async function make(library: Server, name: string, more: object = {}) {
  made[name] = (await library.api('POST', '/collections', { name, ...more })).data.id
  return made[name]
}

test.beforeAll(async ({ library }) => {
  gaids = await library.pictures(5)
  const trips = await make(library, 'Trips')
  await make(library, 'Harbours', { parent_id: trips, cover_gaid: gaids[0] })
  await make(library, 'Mountains')
  await make(library, 'Studio')
  await library.api('POST', `/collections/${trips}/assets`, { gaids })
})

const row = (page: Page, name: string) => page.getByRole('row', { name, exact: true })
const names = (page: Page) =>
  page
    .getByRole('treegrid')
    .getByRole('row')
    .evaluateAll(all => all.map(r => r.getAttribute('aria-label')))

async function actions(page: Page, name: string, item: string | RegExp) {
  await row(page, name).hover()
  await row(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** Drags by the events that a mouse makes, one after the other. */
async function drag(page: Page, from: Locator, to: Locator, at: number) {
  const [a, b] = [await from.boundingBox(), await to.boundingBox()]
  if (!a || !b) throw new Error('nothing to drag')
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2)
  await page.mouse.down()
  await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 4 })
  await page.mouse.move(b.x + b.width * (at < 0 ? -at : 0.5), b.y + b.height * (at < 0 ? 0.5 : at), {
    steps: 4,
  })
  await page.mouse.up()
}

test('makes, renames, moves and deletes collections', async ({ page, as, expectErrors }) => {
  expectErrors(/ 404 /) // the page of what was deleted may still ask for it
  await as('editor')
  await page.goto('/collections')
  await expect(row(page, 'Trips')).toBeVisible()
  await actions(page, 'Trips', 'New collection inside')
  await page.getByRole('dialog').getByLabel('Name').fill('Islands')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Islands' })).toBeVisible()
  await expect(page).toHaveTitle(/Islands/)
  await expect(
    page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Trips' }),
  ).toBeVisible()
  await row(page, 'Islands').focus()
  await page.keyboard.press('F2')
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type('Isles')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Isles' })).toBeVisible()
  await actions(page, 'Isles', 'Move to')
  await page.getByRole('dialog').getByLabel('Find a collection').fill('stud')
  await page.getByRole('option', { name: 'Studio' }).click()
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await expect(
    page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Studio' }),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(
    page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Trips' }),
  ).toBeVisible()
  await row(page, 'Isles').focus()
  await page.keyboard.press('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Trips' })).toBeVisible()
  await expect(row(page, 'Isles')).toHaveCount(0)
})

test('orders collections by dragging, and puts one into another', async ({ page, as }) => {
  await as('editor')
  await page.goto('/collections')
  await expect(row(page, 'Studio')).toBeVisible()
  expect(await names(page)).toEqual(['Mountains', 'Studio', 'Trips'])
  await drag(page, row(page, 'Trips'), row(page, 'Studio'), 0.08)
  await expect.poll(() => names(page)).toEqual(['Mountains', 'Trips', 'Studio'])
  await drag(page, row(page, 'Mountains'), row(page, 'Studio'), 0.5)
  await expect.poll(() => names(page)).toEqual(['Trips', 'Studio'])
  const said = page.getByRole('alertdialog', { name: 'Mountains moved.' })
  await said.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => names(page)).toEqual(['Mountains', 'Trips', 'Studio'])
})

test('moves up and down by the menu, and back', async ({ page, as }) => {
  await as('editor')
  await page.goto('/collections')
  await expect(row(page, 'Studio')).toBeVisible()
  const before = (await names(page)).map(String)
  const [first = '', second = '', last = ''] = before
  await actions(page, second, 'Move up')
  await expect.poll(() => names(page)).toEqual([second, first, last])
  await actions(page, second, 'Move down')
  await expect.poll(() => names(page)).toEqual(before)
  await row(page, last).hover()
  await row(page, last)
    .getByRole('button', { name: `Actions for ${last}` })
    .click()
  await expect(page.getByRole('menuitem', { name: 'Move down' })).toBeDisabled()
})

test('is walked through with the keyboard', async ({ page, as }) => {
  await as('viewer')
  await page.goto('/collections')
  await row(page, 'Trips').focus()
  await page.keyboard.press('ArrowRight')
  await expect(row(page, 'Harbours')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Harbours' })).toBeVisible()
  await expect(page.getByRole('button', { name: /Actions for|New collection/ })).toHaveCount(0)
})

const order = async (library: Server) =>
  (await library.api('GET', `/collections/${made.Trips}/assets`)).data.map((a: { gaid: string }) =>
    gaids.indexOf(a.gaid),
  )

test('puts the assets of a collection in order', async ({ page, library, as }) => {
  await as('editor')
  await page.goto(`/collections/${made.Trips}`)
  const cell = (i: number) => page.locator(`[role=grid] [data-index="${i}"] a`)
  await expect(cell(4)).toBeVisible()
  await cell(0).focus()
  await page.keyboard.press('Control+ArrowRight')
  await expect(page.getByText('Now at 2 of 5.')).toBeAttached()
  await expect(cell(1)).toBeFocused()
  expect(await order(library)).toEqual([1, 0, 2, 3, 4])
  await drag(page, cell(3), cell(0), -0.2)
  await expect.poll(() => order(library)).toEqual([3, 1, 0, 2, 4])
  await cell(4).focus()
  await page.keyboard.press(' ')
  await page.getByRole('button', { name: 'Move to position' }).click()
  await expectAccessible(page)
  await page.getByLabel('Position', { exact: true }).fill('2')
  await page.keyboard.press('Enter')
  await expect.poll(() => order(library)).toEqual([3, 4, 1, 0, 2])
})

test('is shown by its first asset until it has a cover', async ({ page, as, library }) => {
  await as('viewer')
  const { cover_gaid } = (await library.api('GET', `/collections/${made.Trips}`)).data
  expect(cover_gaid).toBeNull()
  await page.goto('/collections')
  const cover = page
    .getByRole('main')
    .getByRole('link', { name: /^Trips/ })
    .locator('img')
  await expect(cover).toHaveAttribute('src', new RegExp(gaids.join('|')))
})

test('takes assets that are dropped on it, and a cover', async ({ page, library, as }) => {
  await as('editor')
  await page.goto(`/collections/${made.Trips}`)
  const first = page.locator('[role=grid] [data-index="0"] a')
  await expect(first).toBeVisible()
  const [leading = 0] = await order(library)
  await drag(page, first, row(page, 'Studio'), 0.5)
  await expect(page.getByText('1 added to Studio.')).toBeVisible()
  await first.focus()
  await page.keyboard.press(' ')
  await page.getByRole('button', { name: 'Use as cover' }).click()
  await expect(page.getByText('new cover')).toBeVisible()
  expect((await library.api('GET', `/collections/${made.Trips}`)).data.cover_gaid).toBe(gaids[leading])
})

test('fills itself by rules, whose matches are counted', async ({ page, as }) => {
  await as('editor')
  await page.goto(`/collections/${made.Mountains}`)
  await page.getByRole('button', { name: 'Actions for Mountains' }).last().click()
  await page.getByRole('menuitem', { name: 'Add rules' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add a rule' }).click()
  await expect(dialog.getByText('Fill in the rules')).toBeVisible()
  await dialog.getByRole('button', { name: 'Field', exact: false }).click()
  await page.getByRole('option', { name: 'File name', exact: true }).click()
  await dialog.getByRole('textbox').fill('picture-1')
  await expect(dialog.getByText('1 asset matches')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.locator('[role=grid] [data-index="0"] a')).toBeVisible()
})

test('is opened to chosen people only', async ({ page, as, library }) => {
  await as('editor')
  await page.goto('/collections')
  await page.getByRole('button', { name: 'New collection' }).last().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Secret')
  await dialog.getByRole('button', { name: /Who can see it/ }).click()
  await page.getByRole('option', { name: 'Only people you choose' }).click()
  await dialog.getByRole('combobox', { name: 'Add people' }).fill('view')
  await page.getByRole('option', { name: 'Viewer' }).click()
  await page.keyboard.press('Escape') // the list stays open for the next one
  await expect(dialog.getByRole('row', { name: 'Viewer' })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Secret' })).toBeVisible()
  const id = Number(page.url().split('/').at(-1))
  expect((await library.api('GET', `/collections/${id}`)).data.visibility).toBe('restricted')
})

test('says when there is no such collection', async ({ page, as, expectErrors }) => {
  expectErrors(/ 404 /)
  await as('viewer')
  await page.goto('/collections/999')
  await expect(page.getByRole('heading', { name: 'Collection not found' })).toBeVisible()
})

test('is accessible, and fits a phone with the tree in a drawer', async ({ page, as }) => {
  await as('editor')
  await page.goto(`/collections/${made.Trips}`)
  await expect(row(page, 'Studio')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.getByRole('button', { name: 'All collections' }).click()
  await expect(row(page, 'Studio')).toBeVisible()
  await expectAccessible(page)
  await row(page, 'Studio').click()
  await expect(page.getByRole('heading', { level: 1, name: 'Studio' })).toBeVisible()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expectAccessible(page)
})
