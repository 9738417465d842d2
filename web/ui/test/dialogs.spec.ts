import type { Locator } from '@playwright/test'
import { expect, expectAccessible, type Page, test } from './kit'

// The dialogs that no flow of another file looks at.

test.describe.configure({ timeout: 90_000 })
test.beforeAll(async ({ library }) => {
  const [gaid] = await library.pictures(3)
  await library.api('PUT', `/assets/${gaid}`, { capture_date: '2024-05-06T12:00:00Z' })
  await library.api('POST', '/collections', { name: 'Trips' })
  await library.api('POST', '/asset-classes', { name: 'Photo' })
  await library.api('POST', '/collection-types', { name: 'Campaign' })
  const { id } = (await library.api('POST', '/metadata/vocabularies', { key: 'regions', name: 'Regions' }))
    .data
  await library.api('POST', `/metadata/vocabularies/${id}/terms`, { key: 'europe', label: 'Europe' })
  await library.api('POST', '/metadata/fields', {
    key: 'region',
    label: 'Region',
    type: 'term',
    vocabulary_id: id,
  })
})

/** Looks at a dialog that something opens; Escape closes it and gives the focus back, in a list to the row at least. */
async function look(page: Page, name: string | RegExp, opens: () => Promise<void>, back?: Locator) {
  await opens()
  const dialog = page.getByRole('dialog', { name })
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('status').filter({ hasText: '…' })).toHaveCount(0)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  if (!back) return
  const isBack = () =>
    back.evaluate(el => document.activeElement !== document.body && document.activeElement?.contains(el))
  await expect.poll(isBack).toBe(true)
}

/** Looks at the dialogs of a menu. */
async function lookAll(page: Page, menu: Locator, dialogs: [item: string, name: string | RegExp][]) {
  for (const [item, name] of dialogs) {
    const choose = async () => {
      await menu.click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await look(page, name, choose, menu)
  }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('of collections', async ({ page, as }) => {
  await as('editor')
  await page.goto('/collections')
  await page.getByRole('row', { name: 'Trips' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Trips' })).toBeVisible()
  await lookAll(page, page.getByRole('main').getByRole('button', { name: 'Actions for Trips' }).last(), [
    ['Move to…', 'Move Trips'],
    ['Details…', 'Details'],
    ['Delete…', 'Delete Trips?'],
  ])
  const row = page.getByRole('row', { name: 'Trips' })
  const rename = async () => {
    await row.focus()
    await page.keyboard.press('F2')
  }
  await look(page, 'Rename Trips', rename, row)
})

test('of a selection and of what keys change', async ({ page, as }) => {
  await as('editor')
  await page.goto('/')
  const first = page.locator('[role=grid] [data-index="0"] a')
  await first.focus()
  await page.keyboard.press('Space')
  await look(page, 'Add keywords', () => page.keyboard.press('k'), first)
  const add = button(page, 'Add to collection')
  await look(page, 'Add to collection', () => add.click(), add)
  const edit = button(page, 'Edit')
  await edit.click()
  const dialog = page.getByRole('dialog', { name: 'Edit 1' })
  await dialog.getByLabel('Creator', { exact: true }).fill('Ada')
  await dialog.getByRole('button', { name: 'Choose…: Region' }).click()
  await page.getByRole('row', { name: 'Europe' }).click()
  const preview = async () => {
    await dialog.getByRole('button', { name: 'Preview changes' }).click()
    await expect(dialog.getByText('1 will change.')).toBeVisible()
    await expect(dialog).toContainText('Region(empty) → Europe')
  }
  await look(page, 'Edit 1', preview, edit)
})

test('of a calendar', async ({ page, as }) => {
  await as('viewer')
  await page.goto('/')
  await button(page, 'Filters').click()
  const calendar = page.getByRole('complementary', { name: 'Filters' })
  await calendar.getByRole('button', { name: 'Date', exact: true }).click()
  const open = calendar.getByRole('button', { name: /Calendar/ })
  await open.click()
  await expect(page.getByRole('dialog').getByRole('grid')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(open).toBeFocused()
})

test('of fields, vocabularies, terms and classes', async ({ page, as }) => {
  await as('admin')
  await page.goto('/admin/fields')
  await lookAll(page, button(page, 'Actions for Region'), [['Delete…', 'Delete the field Region?']])
  await page.goto('/admin/vocabularies')
  const create = button(page, 'New vocabulary')
  await look(page, 'New vocabulary', () => create.click(), create)
  await lookAll(page, button(page, 'Actions for Regions'), [
    ['Edit…', 'Vocabulary Regions'],
    ['Delete…', 'Delete the vocabulary Regions?'],
  ])
  await page.getByRole('link', { name: 'Regions' }).click()
  await look(page, 'New term', () => button(page, 'New term').click(), button(page, 'New term'))
  await lookAll(page, button(page, 'Actions for Europe'), [
    ['Edit…', 'Term Europe'],
    ['New term below…', 'New term below Europe'],
    ['Delete…', 'Delete the term Europe?'],
  ])
  await page.goto('/admin/classes')
  await look(page, 'New class', () => button(page, 'New class').click(), button(page, 'New class'))
  for (const name of ['Photo', 'Campaign']) {
    await lookAll(page, button(page, `Actions for ${name}`), [
      ['Rename', 'Rename'],
      ['Delete…', `Delete ${name}?`],
    ])
  }
})

test('of people, tokens and the account', async ({ page, as }) => {
  await as('admin')
  await page.goto('/admin/users')
  await lookAll(page, button(page, 'More about Editor'), [['Edit', 'Edit Editor']])
  await button(page, 'Admin').click()
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.goto('/account')
  await button(page, 'New token').click()
  await page.getByRole('dialog').getByLabel('Name').fill('nightly import')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('The token')).toHaveValue(/^dal_/)
  await expectAccessible(page)
  await button(page, 'Done').click()
  const revoke = page.getByRole('row', { name: /nightly import/ }).getByRole('button', { name: 'Revoke' })
  await look(page, 'Revoke nightly import?', () => revoke.click(), revoke)
})
