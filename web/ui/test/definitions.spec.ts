import { expect, expectAccessible, expectFits, phone, type Server, test } from './kit'

const keys = async (library: Server) =>
  (await library.api('GET', '/metadata/fields')).data.map((f: { key: string }) => f.key)

test('makes fields, puts them in order, and tells what a change takes away', async ({
  page,
  library,
  as,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  await as('admin')
  await page.goto('/admin/fields')
  await expect(page.getByRole('heading', { name: 'No fields yet' })).toBeVisible()
  const dialog = page.getByRole('dialog')
  for (const label of ['Project', 'Made in']) {
    await page.getByRole('button', { name: 'New field' }).click()
    await dialog.getByLabel('Label').fill(label)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect(dialog).toBeHidden()
  }
  expect(await keys(library)).toEqual(['project', 'made_in'])
  await page.getByRole('button', { name: 'New field' }).click()
  await dialog.getByLabel('Label').fill('Project')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByLabel('Key')).toHaveAccessibleDescription(/already been taken/)
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Actions for Made in' }).click()
  await page.getByRole('menuitem', { name: 'Move up' }).click()
  await expect.poll(() => keys(library)).toEqual(['made_in', 'project'])

  const [gaid] = await library.pictures(1)
  await library.api('PUT', `/assets/${gaid}/metadata`, { made_in: 'about 1920' })
  await page.getByRole('row', { name: 'Made in' }).click()
  await dialog.getByRole('button', { name: /^Type|Type$/ }).click()
  await page.getByRole('option', { name: 'Whole number' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('1 asset loses its value.')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Actions for Made in' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(dialog.getByText('1 asset loses its value.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Made in deleted.')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('makes a vocabulary and its terms', async ({ page, library, as, expectErrors }) => {
  expectErrors(/ 409 /)
  await as('admin')
  await page.goto('/admin/vocabularies')
  await page.getByRole('button', { name: 'New vocabulary' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Regions')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('link', { name: 'Regions' }).click()
  await expect(page.getByText('No terms yet')).toBeVisible()
  const row = (name: string) => page.getByRole('treegrid').getByRole('row', { name, exact: true })
  const add = async (label: string) => {
    await dialog.getByLabel('Label').fill(label)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect(dialog).toBeHidden()
  }
  await page.getByRole('button', { name: 'New term' }).click()
  await add('Europe')
  await row('Europe').getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'New term below' }).click()
  await add('France')
  await row('Europe').focus()
  await page.keyboard.press('ArrowRight')
  await expect(row('France')).toBeVisible()
  await row('France').focus()
  await page.keyboard.press('F2')
  await dialog.getByLabel('Label').fill('République')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row('République').getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Move to' }).click()
  await page.getByRole('option', { name: 'To the top level' }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Move' }).click()
  await expect(row('République')).toHaveAttribute('aria-level', '1')
  await row('République').getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Deactivate' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  const id = (await library.api('GET', '/metadata/vocabularies/regions')).data.id
  await library.api('POST', '/metadata/fields', {
    key: 'region',
    label: 'Region',
    type: 'term',
    vocabulary_id: id,
    default_value: 'europe',
  })
  await row('Europe').focus()
  await page.keyboard.press('Delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog.getByRole('alert')).toContainText('default')
  await page.keyboard.press('Escape')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('makes classes and types of collections', async ({ page, as, expectErrors }) => {
  expectErrors(/ 422 /)
  await as('admin')
  await page.goto('/admin/classes')
  await page.getByRole('button', { name: 'New class' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Photo')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Photo', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'New class' }).click()
  await dialog.getByLabel('Name').fill('PHOTO')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/taken/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New type' }).click()
  await dialog.getByLabel('Name').fill('Campaign')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Actions for Campaign' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Campaign deleted.')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('a new field is one for rules at once', async ({ page, as }) => {
  await as('admin')
  const filters = { type: 'filter', field: 'asset.title', operator: 'contains', value: 'x' }
  await page.goto(`/?filters=${encodeURIComponent(JSON.stringify(filters))}`)
  const dialog = page.getByRole('dialog')
  const fields = async () => {
    await page.getByRole('button', { name: 'Edit as rules' }).click()
    await dialog.getByRole('button', { name: /Field/ }).first().click()
    await expect(page.getByRole('option', { name: 'Title', exact: true })).toBeVisible()
  }
  await fields()
  await expect(page.getByRole('option', { name: 'Shelf' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await page.getByRole('link', { name: 'Administration' }).click()
  await page.getByRole('link', { name: 'Fields' }).click()
  await page.getByRole('button', { name: 'New field' }).click()
  await dialog.getByLabel('Label').fill('Shelf')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toBeHidden()
  while (!page.url().includes('filters=')) await page.goBack()
  await fields()
  await expect(page.getByRole('option', { name: 'Shelf' })).toBeVisible()
})
