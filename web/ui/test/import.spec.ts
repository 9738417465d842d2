import { expect, expectAccessible, expectFits, type Page, phone, test } from './kit'

let gaids: string[] = []
test.beforeAll(async ({ library }) => {
  await library.api('POST', '/metadata/fields', { key: 'budget', label: 'Budget', type: 'number' })
  gaids = await library.pictures(3)
  const titles = ['Old pier', 'Old dock', 'Old quay']
  for (const [i, gaid] of gaids.entries())
    await library.api('PUT', `/assets/${gaid}`, { title: titles[i], creator: 'Ada', metadata: { budget: 5 } })
})

const choose = (page: Page, name: string, text: string) =>
  page.getByLabel('Table to import').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
const desktop = { width: 1440, height: 900 }

test('a table is looked at, planned and imported, and each line tells its outcome', async ({
  page,
  as,
  library,
}) => {
  await as('editor')
  await page.goto('/operations')
  await expect(page.getByRole('button', { name: 'Import a table…' })).toBeVisible()
  await choose(
    page,
    'harbour.csv',
    [
      'original_filename;gaid;title;creator;metadata.budget;file_size;colour',
      `;${gaids[0]};New pier;;12.5;1;red`,
      `;${gaids[1]};Old dock;Ada;5;1;red`,
      `;${gaids[2]};New quay;Ada;much;1;red`,
      ';nothing;New lock;;1;1;red',
    ].join('\n'),
  )
  const dialog = page.getByRole('dialog', { name: 'Import a table' })
  await expect(dialog.getByText('harbour.csv, 4 rows')).toBeVisible()
  const column = (name: string) => dialog.getByRole('row').filter({ hasText: name })
  await expect(column('gaid')).toContainText('Identifies the asset')
  await expect(column('title')).toContainText('Changes: TitleNew pier')
  await expect(column('metadata.budget')).toContainText('Changes: Budget12.5')
  await expect(column('file_size')).toContainText('Ignored')
  await expect(column('colour')).toContainText('Ignored, unknown')
  await expect(dialog.getByText('Ignored columns without a matching field: colour.')).toBeVisible()
  await dialog.getByRole('button', { name: /Find assets by$/ }).click()
  await expect(page.getByRole('option')).toHaveText(['gaid', 'original_filename', 'metadata.budget'])
  await page.keyboard.press('Escape')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize(desktop)

  const look = dialog.getByRole('button', { name: 'Preview changes' })
  const plan = dialog.getByRole('table', { name: 'Changes' })
  await look.click()
  await expect(plan.getByRole('row').filter({ hasText: 'Old pier' })).not.toContainText('Creator')
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.getByText('Clear the value').click()
  await look.click()
  await expect(dialog.getByText('1 asset will change. 1 row changes nothing.')).toBeVisible()
  await expect(dialog.getByText('2 rows have errors and are skipped.')).toBeVisible()
  await expect(dialog.getByText('1 asset will change.')).toBeFocused()
  const pier = plan.getByRole('row').filter({ hasText: 'Old pier' })
  await expect(pier.getByRole('cell').first()).toHaveText('2')
  await expect(pier).toContainText('TitleOld pier → New pier')
  await expect(pier).toContainText('CreatorAda → (empty)')
  await expect(pier).toContainText('Budget5 → 12.5')
  await expect(plan.getByRole('row').filter({ hasText: 'Old quay' })).toContainText('must be a number')
  await expect(plan.getByRole('row').last()).toHaveText('5NoneNo asset has this gaid.')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize(desktop)
  expect((await library.api('GET', `/assets/${gaids[0]}`)).data.title).toBe('Old pier') // nothing has changed yet

  await dialog.getByRole('button', { name: 'Change 1 asset' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Table import' })).toBeVisible()
  await expect(dialog).toBeHidden()
  const main = page.getByRole('main')
  await expect(main.getByText('Done, with errors')).toBeVisible()
  await expect(main.getByText('harbour.csv, rows matched by gaid')).toBeVisible()
  await page.reload()
  const outcomes = page.getByRole('table', { name: 'Results' })
  await expect(outcomes.getByRole('row')).toHaveCount(3) // the failed ones first
  await expect(outcomes.getByRole('row').filter({ hasText: 'Old quay' })).toContainText('must be a number')
  await page.getByRole('button', { name: /Result$/ }).click()
  await page.getByRole('option', { name: 'All' }).click()
  await expect(outcomes.getByRole('row').filter({ hasText: 'New pier' })).toContainText('2New pierDone')
  await expect(outcomes.getByRole('row').last()).toHaveText('5NoneNo asset has this gaid.')
  const { title, creator, metadata } = (await library.api('GET', `/assets/${gaids[0]}`)).data
  expect({ title, creator, metadata }).toEqual({
    title: 'New pier',
    creator: null,
    metadata: { budget: 12.5 },
  })
  const download = page.waitForEvent('download')
  await main.getByRole('link', { name: 'Download results as CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^import-\d+\.csv$/)
  await expectAccessible(page)
  await page.goto('/operations?type=metadata_import')
  await expect(main.getByRole('link', { name: 'Table import' })).toHaveCount(1)
})

test('a table that cannot be used says why', async ({ page, as, expectErrors }) => {
  expectErrors(/ 422 /)
  await as('editor')
  await page.goto('/operations')
  await choose(page, 'twice.csv', 'gaid,title,title\n1,2,3\n')
  const dialog = page.getByRole('dialog', { name: 'Import a table' })
  await expect(dialog.getByRole('alert')).toContainText('title')
  await expect(dialog.getByRole('button', { name: 'Choose another file' })).toBeVisible()
  await expectAccessible(page)
  await choose(page, 'alone.csv', 'title\nPier\n')
  await expect(dialog.getByRole('alert')).toContainText('No column identifies the assets.')
  await expect(dialog.getByRole('button', { name: 'Preview changes' })).toBeDisabled()
  await choose(page, 'still.csv', `gaid,file_size\n${gaids[0]},3\n`)
  await expect(dialog.getByRole('alert')).toContainText(
    'The table has no columns with fields that can be changed.',
  )
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
})

test('who may not change assets is not offered an import', async ({ page, as }) => {
  await as('viewer')
  await page.goto('/operations')
  await expect(page.getByText('No operations yet')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Import a table…' })).toHaveCount(0)
})
