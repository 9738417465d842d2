import { expect, test } from './kit'

test('keys change all of a result that is selected by Ctrl+A', async ({ page, as, library }) => {
  const gaids = await library.pictures(21)
  await as('editor')
  await page.goto('/')
  const cells = page.getByRole('gridcell').locator('a')
  await expect(cells).not.toHaveCount(0)
  await cells.first().press('Control+a')
  await expect(page.getByRole('toolbar', { name: 'Selection' })).toContainText('21 selected')
  await page.keyboard.press('4')
  await expect(page.getByText('21 assets: ★★★★')).toBeVisible()
  for (const gaid of gaids) expect((await library.api('GET', `/assets/${gaid}`)).data.rating).toBe(4)
  // On a wide screen each action has a word.
  for (const word of [
    'Edit',
    'Keywords',
    'Rating',
    'Status',
    'Analyse',
    'Collection',
    'ZIP',
    'Share',
    'Trash',
  ])
    await expect(page.getByRole('button').getByText(word, { exact: true }).first()).toBeVisible()
  await page.setViewportSize({ width: 1000, height: 800 })
  await expect(page.getByRole('button').getByText('ZIP', { exact: true })).toBeHidden()
})
