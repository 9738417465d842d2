import type { Locator } from '@playwright/test'
import { email, expect, type Page, password, picture, type Role, test } from './kit'
import { row } from './tray'

test.beforeAll(async ({ library }) => {
  const gaids = await library.pictures(6)
  for (const gaid of gaids.slice(0, 4)) await library.api('PUT', `/assets/${gaid}`, { keywords: ['harbour'] })
})

const cell = (page: Page, i: number) => page.locator(`[role=grid] [data-index="${i}"] a`)
const selected = (page: Page) => page.getByRole('toolbar').getByText(/^\d+ selected$/)

/** Goes with Tab, or Shift and Tab, to something, as somebody does who has no mouse. */
async function tabTo(page: Page, to: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') {
  const isThere = () =>
    to.evaluate(el => el === document.activeElement || el.contains(document.activeElement))
  await expect(to).toBeVisible()
  for (let i = 0; i < 60; i++) {
    if (await isThere()) return
    await page.keyboard.press(key)
  }
  throw new Error(`Tab does not lead to ${to}`)
}

test('everything a day needs is done without a mouse', async ({ page, library, expectErrors }) => {
  expectErrors(/ 401 /)
  await page.goto('/')
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(email('editor'))
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await expect(cell(page, 5)).toBeVisible()

  // Search, by a keyword that is suggested.
  await page.keyboard.press('/')
  await expect(page.getByRole('combobox', { name: 'Search the library' })).toBeFocused()
  await page.keyboard.type('harb')
  const offer = page.getByRole('option', { name: /^harbour/ })
  await expect(offer).toBeVisible()
  while (!(await offer.getAttribute('data-focused'))) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove Keywords: harbour' })).toBeVisible()
  await expect(cell(page, 3)).toBeVisible()
  await expect(cell(page, 4)).toHaveCount(0)

  // Select a few, one more, all, and fewer.
  await tabTo(page, cell(page, 0))
  await page.keyboard.press('Shift+ArrowRight')
  await expect(selected(page)).toHaveText('2 selected')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Control+Space')
  await expect(selected(page)).toHaveText('3 selected')
  await page.keyboard.press('Control+a')
  await expect(selected(page)).toHaveText('4 selected')
  await page.keyboard.press('Escape')
  await expect(selected(page)).toHaveCount(0)
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowLeft')
  await expect(selected(page)).toHaveText('2 selected')

  // Change what is selected.
  await tabTo(page, page.getByRole('button', { name: 'Edit', exact: true }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Edit 2' })
  await tabTo(page, dialog.getByLabel('Creator', { exact: true }))
  await page.keyboard.type('Ada')
  await tabTo(page, dialog.getByRole('button', { name: 'Preview changes' }))
  await page.keyboard.press('Enter')
  await tabTo(page, dialog.getByRole('button', { name: 'Change 2' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 changed.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Edit', exact: true })).toBeFocused()

  // Upload.
  await tabTo(page, page.getByRole('button', { name: 'Upload', exact: true }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Files' })).toBeFocused()
  const choosing = page.waitForEvent('filechooser')
  await page.keyboard.press('Enter')
  const data = picture(60, 50, 40)
  await (await choosing).setFiles({ name: 'late.png', mimeType: 'image/png', buffer: data })
  await expect(row(page, 'late.png')).toContainText('In the library')

  // Look at one, rate it, and go back to where one was.
  await tabTo(page, page.locator('[role=grid] a[tabindex="0"]'))
  const gaid = (await page.evaluate(() => document.activeElement?.getAttribute('href')))?.match(/\w{26}/)?.[0]
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-viewer]')).toBeVisible()
  await page.keyboard.press('4')
  await expect.poll(async () => (await library.api('GET', `/assets/${gaid}`)).data.rating).toBe(4)
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-viewer]')).toBeHidden()
  await expect(page.locator(`[role=grid] a[href*="${gaid}"]`)).toBeFocused()

  await tabTo(page, page.getByRole('button', { name: 'Editor' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

const writing = ['Edit', 'Keywords', 'Rating', 'Status', 'Add to collection']
const mayDo: Record<Role, string[]> = {
  viewer: ['Download as ZIP'],
  editor: [...writing, 'Download as ZIP', 'Move to trash'],
  admin: [...writing, 'Download as ZIP', 'Move to trash'],
}

for (const role of ['viewer', 'editor', 'admin'] as const) {
  test(`the ${role} finds the same, and is offered what the ${role} may do`, async ({
    page,
    as,
    library,
  }) => {
    await as(role)
    await page.goto('/?q=picture')
    await expect(cell(page, 3)).toBeVisible()
    const places = page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')
    const outside = role === 'viewer' ? [] : ['Shares', 'Analytics']
    const admin = role === 'admin' ? ['Administration'] : []
    await expect(places).toHaveText(['Library', 'Collections', 'Duplicates', ...outside, 'Trash', ...admin])
    await cell(page, 0).focus()
    await page.keyboard.press('Space')
    await expect(selected(page)).toHaveText('1 selected')
    const offered = page.getByRole('toolbar').getByRole('button')
    const names = await offered.evaluateAll(list => list.map(b => b.getAttribute('aria-label')))
    const actions = [...mayDo.admin, 'Delete permanently', 'Restore']
    expect(names.filter(n => n && actions.includes(n))).toEqual(mayDo[role])
    if (role !== 'viewer') return
    const before = (await library.api('GET', '/assets?q=picture')).data
    for (const key of ['5', 'a', 'k', 'c', 'Delete']) await page.keyboard.press(key)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
    expect((await library.api('GET', '/assets?q=picture')).data).toEqual(before)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Filters', exact: true }).click()
    await expect(page.getByRole('complementary', { name: 'Filters' }).getByText('harbour')).toBeVisible()
    await page.getByRole('combobox', { name: 'Search the library' }).fill('harb')
    await expect(page.getByRole('option', { name: /^harbour/ })).toBeVisible()
  })
}
