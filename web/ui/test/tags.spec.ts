import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectAccessible, expectFits, type Page, phone, test } from './kit'

const viewer = (page: Page) => page.locator('[data-viewer]')
const cat = readFileSync(join(import.meta.dirname, '../../../app/enrich/objects/testdata/chelsea.jpg'))

let gaid = ''
test.beforeAll(async ({ library }) => {
  test.setTimeout(120_000)
  await library.stop()
  await library.start('--tag-threshold', '0.7')
  gaid = (await library.ingest({ name: 'DSC1.jpg', data: cat }))[0] ?? ''
  await expect
    .poll(async () => (await library.api('GET', `/assets/${gaid}`)).data.ai_tags, { timeout: 90_000 })
    .toEqual(['cat'])
})

test('a tag says why it is there, and keys accept or remove it', async ({ page, as, library }) => {
  await library.api('PUT', `/assets/${gaid}`, { ai_tags: ['cat', 'sofa'] })
  await as('editor')
  await page.goto(`/assets/${gaid}`)
  const tags = viewer(page).getByRole('grid', { name: 'AI tags' })
  await expect(
    tags.getByRole('row', { name: /cat \(built-in model, coco-ssdlite\/1, 9\d% sure\)/ }),
  ).toBeVisible()
  await expect(tags.getByRole('row', { name: /sofa \(a person\)/ })).toBeVisible()
  await expectFits(page)
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await tags.getByRole('row', { name: /cat/ }).focus()
  await page.keyboard.press('Enter')
  await expect(tags.getByRole('row')).toHaveCount(1)
  await expect(
    viewer(page).getByRole('grid', { name: 'Keywords' }).getByRole('row', { name: 'cat' }),
  ).toBeVisible()
  await tags.getByRole('row', { name: /sofa/ }).focus()
  await page.keyboard.press('Delete')
  await expect(tags).toHaveCount(0)
  await expect
    .poll(async () => {
      const { keywords, ai_tags } = (await library.api('GET', `/assets/${gaid}`)).data
      return { keywords, ai_tags }
    })
    .toEqual({ keywords: ['cat'], ai_tags: [] })
})

test('what is selected is analysed again, and removed tags stay away', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/status of 422/) // this server writes no captions
  await library.api('PUT', `/assets/${gaid}`, { ai_tags: [] })
  await as('editor')
  await page.goto('/')
  await page.getByRole('img', { name: /^DSC1,/ }).click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Analyse' }).click()
  await page.getByRole('menuitem', { name: 'Write captions' }).click()
  await expect(page.getByText(/No AI endpoint is set up/)).toBeVisible()
  await page.getByRole('button', { name: 'Analyse' }).click()
  await page.getByRole('menuitem', { name: 'Find tags' }).click()
  await expect(page.getByText(/analysed\.|takes a while/)).toBeVisible({ timeout: 30_000 })
  expect((await library.api('GET', `/assets/${gaid}`)).data.ai_tags).toEqual([])
})
