import { email, expect, expectAccessible, type Page, password, test } from './kit'

async function signIn(page: Page) {
  await page.getByLabel('Email').fill(email('editor'))
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Collections' })).toBeVisible()
}

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

test('what is asked for while one signs out is not asked for any more', async ({ page, expectErrors }) => {
  expectErrors(/ 401 .*\/api\/v1\/session$/) // nobody is signed in at first
  await page.goto('/collections')
  await signIn(page)

  // The list takes until the session has ended on the server, whose answer comes after that of the list.
  let release = () => {}
  const ended = new Promise<void>(resolve => {
    release = resolve
  })
  let asked = () => {}
  const waits = new Promise<void>(resolve => {
    asked = resolve
  })
  let over: Promise<unknown> = ended
  const isList = (url: string) => new URL(url).pathname === '/api/v1/collections'
  await page.route(
    url => isList(url.href),
    async route => {
      over = Promise.race([
        page.waitForEvent('requestfailed', r => r === route.request()),
        page.waitForEvent('response', r => r.request() === route.request()),
      ])
      asked()
      await ended
      await route.continue().catch(() => {}) // when nobody waits for it
    },
    { times: 1 },
  )
  await page.route('**/api/v1/session', async route => {
    if (route.request().method() !== 'DELETE') return await route.continue()
    const response = await route.fetch()
    release()
    await over
    await route.fulfill({ response })
  })
  await page.reload()
  await waits
  await page.getByRole('button', { name: 'Editor' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()

  await signIn(page)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
