import { email, expect, expectAccessible, password, test } from './kit'

test('signs in and out', async ({ page, expectErrors }) => {
  expectErrors(/ 401 /, / 422 /)
  await page.goto('/collections')
  await expect(page).toHaveTitle(/Sign in/)
  await expectAccessible(page)
  await page.getByLabel('Email').fill(email('editor'))
  await page.getByLabel('Password', { exact: true }).fill('wrong horse battery')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription(/do not match/)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Collections' })).toBeVisible()
  await page.getByRole('button', { name: 'Editor' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})
