import type { Route } from '@playwright/test'
import { email, expectAccessible, expectFits, type Page, phone, expect as plain, Server, test } from './kit'

// A password is hashed for a while, longer on a machine that is busy.
const expect = plain.configure({ timeout: 15_000 })
test.describe.configure({ timeout: 60_000 })
const firstPassword = 'harbour wall at dusk'

/** The path of the link that a server without users has printed. */
async function setupPath(server: Server) {
  await expect.poll(() => server.log).toMatch(/\/setup\/\S+/)
  return server.log.match(/(\/setup\/\S+)/)?.[1] ?? ''
}

/** Invites somebody over the interface; returns the path of the link. */
async function invited(library: Server, address: string, role = 'editor') {
  const answer = await library.api('POST', '/users', { name: 'Ed Stone', email: address, role })
  return { id: answer.data.id as number, path: new URL(answer.data.invitation.url).pathname }
}

async function fillIn(page: Page, values: Record<string, string>) {
  for (const [label, value] of Object.entries(values))
    await page.getByLabel(label, { exact: true }).fill(value)
}

test.describe('an empty library', () => {
  let empty: Server
  test.beforeAll(async () => {
    empty = new Server()
    await empty.start()
  })
  test.afterAll(async () => await empty.remove())

  test('is set up by its link, once', async ({ browser }) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${empty.url}/collections`)
    await expect(page.getByRole('heading', { level: 1, name: 'Welcome' })).toBeVisible()
    await expect(page.getByText('The server printed a set-up link')).toBeVisible()
    await expectAccessible(page)

    await page.goto(`${empty.url}/setup/nonsense`)
    await fillIn(page, { 'Your name': 'Ada', Email: 'ada@example.com', Password: firstPassword })
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText('no longer valid')

    await page.goto(empty.url + (await setupPath(empty)))
    await expect(page.getByLabel('Your name')).toBeFocused()
    await expectAccessible(page)
    await fillIn(page, { 'Your name': 'Ada', Email: 'ada@example.com', Password: 'short' })
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/10 to 256/)
    await page.getByLabel('Password', { exact: true }).fill(firstPassword)
    await page.getByRole('button', { name: 'Show the password' }).click()
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await expect(page.getByRole('button', { name: 'Ada' })).toBeVisible()
    await expect(page).toHaveURL(`${empty.url}/`)
    await page.goto(empty.url + (await setupPath(empty)))
    await expect(page.getByText('has already been set up')).toBeVisible()
    expect(empty.log).not.toMatch(/path=\/setup\/[^{]/)
    await context.close()
  })
})

test('an admin invites somebody, who chooses a password', async ({
  page,
  as,
  library,
  browser,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  await as('admin')
  await page.goto('/admin')
  await expect(page).toHaveURL(/\/admin\/users$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Invite' }).click()
  await expectAccessible(page)
  await fillIn(page, { Name: 'Grace Stone', Email: email('viewer') })
  await page.getByText('Can view and download files.').click()
  await page.getByRole('button', { name: 'Create invitation' }).click()
  await expect(page.getByLabel('Email', { exact: true })).toHaveAccessibleDescription(/already been taken/)
  await fillIn(page, { Email: 'grace@example.com' })
  await page.getByRole('button', { name: 'Create invitation' }).click()
  await expect(page.getByRole('dialog', { name: 'A link for Grace Stone' })).toBeVisible()
  await expectAccessible(page)
  const link = await page.getByLabel('The link').inputValue()
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'grace@example.com' })
  await expect(row).toContainText('Invited')

  const hers = await browser.newContext({ viewport: phone })
  const theirs = await hers.newPage()
  await theirs.goto(link)
  await expect(theirs.getByText('Hello Grace Stone')).toBeVisible()
  await expectAccessible(theirs)
  await expectFits(theirs)
  await theirs.getByLabel('Password', { exact: true }).fill(firstPassword)
  await theirs.keyboard.press('Enter')
  await expect(theirs.getByRole('button', { name: 'Grace Stone' })).toBeVisible()
  await theirs.goto('about:blank')
  await theirs.goto(link)
  await expect(theirs.getByRole('heading', { name: 'This link does not work' })).toBeVisible()
  expect(library.log).not.toContain(new URL(link).pathname)
  await hers.close()
})

test('an admin changes, disables and enables somebody', async ({ page, as, library, expectErrors }) => {
  expectErrors(/ 409 /)
  const { id } = await invited(library, 'ed@example.com')
  await as('admin')
  await page.goto('/admin/users')
  await page.getByRole('searchbox', { name: 'Find' }).fill('ED@')
  const row = page.getByRole('listitem').filter({ hasText: 'ed@example.com' })
  await row.getByRole('button', { name: 'More about Ed Stone' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await fillIn(page, { Name: 'Edgar Stone' })
  await page.getByRole('radio', { name: 'Viewer' }).check({ force: true })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('Edgar Stone')
  await expect(row).toContainText('Viewer')
  await row.getByRole('button', { name: 'More about Edgar Stone' }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(row).toContainText('Disabled')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row).not.toContainText('Disabled')
  await row.getByRole('button', { name: 'More about Edgar Stone' }).click()
  await page.getByRole('menuitem', { name: 'Create a password link' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  await expect(page.getByLabel('The link')).toHaveValue(/\/invitation\//)
  await page.getByRole('button', { name: 'Done' }).click()
  expect((await library.api('GET', `/users/${id}`)).data.role).toBe('viewer')

  await page.getByRole('searchbox', { name: 'Find' }).fill('admin@')
  await page.getByRole('button', { name: 'More about Admin' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('radio', { name: 'Viewer' }).check({ force: true })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('is the last admin')
})

test('the administration is for admins only', async ({ page, as }) => {
  await as('editor')
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Collections' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Administration' })).toHaveCount(0)
  await page.goto('/admin/users')
  await expect(page.getByText('For admins only')).toBeVisible()
  await expectAccessible(page)
})

test('users and their dialogs fit a phone', async ({ page, as }) => {
  await page.setViewportSize(phone)
  await as('admin')
  await page.goto('/admin/users')
  await expect(page.getByRole('button', { name: 'More about Editor' })).toBeVisible()
  await expectFits(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Invite' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectFits(page)
})

test('the language is chosen, kept and followed', async ({ page, as }) => {
  await as('viewer')
  await page.goto('/account')
  await page.getByRole('button', { name: /Language/ }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Konto' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await page.evaluate(() => localStorage.clear()) // as on another device
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Konto' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Viewer' }).click()
  await page.getByRole('menuitem', { name: 'English' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible()
})

test('a password is changed and other devices are signed out', async ({
  page,
  library,
  browser,
  expectErrors,
}) => {
  expectErrors(/ 401 /, / 422 /)
  const { path } = await invited(library, 'ivy@example.com')
  const other = await browser.newPage()
  await other.goto(library.url + path)
  await other.getByLabel('Password', { exact: true }).fill(firstPassword)
  await other.keyboard.press('Enter')
  await expect(other.getByRole('button', { name: 'Ed Stone' })).toBeVisible()

  await page.goto('/account')
  await fillIn(page, { Email: 'ivy@example.com', Password: firstPassword })
  await page.keyboard.press('Enter')
  await expect(page.getByText('This device')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: /^Sign out Chrome/ }).click()
  await expect(page.getByText('Device signed out.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Sign out Chrome/ })).toHaveCount(0)

  await fillIn(page, { 'Current password': 'wrong', 'New password': 'another harbour wall' })
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(/is wrong/)
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('nightly import')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Done' }).click()
  const token = page.getByRole('row', { name: /nightly import/ })
  await expect(token).toBeVisible()
  await fillIn(page, { 'Current password': firstPassword })
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(page.getByText('Password changed.')).toBeVisible()
  await expect(page.getByLabel('New password')).toHaveValue('')
  await page.reload()
  await expect(token).toBeVisible()
  await fillIn(page, { 'Current password': 'another harbour wall', 'New password': 'the third harbour wall' })
  await page.getByRole('checkbox', { name: 'Revoke all API tokens' }).check({ force: true })
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(token).toHaveCount(0)
  await expect(page.getByRole('checkbox', { name: 'Revoke all API tokens' })).not.toBeChecked()
  await other.close()
})

test('an admin makes a password link and revokes tokens', async ({ page, as, library, browser }) => {
  const { path } = await invited(library, 'kim@example.com')
  const kim = await browser.newContext({ baseURL: library.url })
  const tokens = async () => (await (await kim.request.get('/api/v1/tokens')).json()).meta.total
  await kim.request.post(`/api/v1${path.replace('invitation', 'invitations')}`, {
    data: { password: firstPassword },
  })
  await kim.request.post('/api/v1/tokens', { data: { name: 'import', abilities: ['assets:read'] } })
  expect(await tokens()).toBe(1)
  await as('admin')
  await page.goto('/admin/users')
  await page.getByRole('searchbox', { name: 'Find' }).fill('kim@')
  await page
    .getByRole('listitem')
    .filter({ hasText: 'kim@example.com' })
    .getByRole('button', { name: /^More about/ })
    .click()
  await page.getByRole('menuitem', { name: 'Create a password link' }).click()
  await expectAccessible(page)
  await page.getByRole('checkbox', { name: 'Revoke all API tokens now' }).check({ force: true })
  await page.getByRole('button', { name: 'Create link' }).click()
  await expect(page.getByLabel('The link')).toHaveValue(/\/invitation\//)
  expect(await tokens()).toBe(0)
  await kim.close()
})

test('who is signed out at work signs in again in place, and nothing is lost', async ({
  page,
  library,
  expectErrors,
}) => {
  expectErrors(/ 401 /, / 422 /)
  const { path } = await invited(library, 'joe@example.com')
  await page.goto(path)
  await page.getByLabel('Password', { exact: true }).fill(firstPassword)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Ed Stone' })).toBeVisible()
  await page.goto('/collections')
  await page
    .getByRole('button', { name: /New collection|Create/ })
    .first()
    .click()
  await page.getByRole('dialog').getByLabel('Name').fill('Harbours of the north')
  // The session ends with this request: another that the page makes meanwhile would ask first.
  const signOut = async (route: Route) => {
    await page.context().clearCookies()
    await route.continue()
  }
  await page.route('**/api/v1/collections', signOut, { times: 1 })
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign in to continue' })
  await expect(dialog).toBeVisible()
  await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  await dialog.getByLabel('Password', { exact: true }).fill('wrong')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/do not match/)
  await dialog.getByLabel('Password', { exact: true }).fill(firstPassword)
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page.getByText('Harbours of the north').first()).toBeVisible() // what was asked has been done
})

test('one makes a token, sees it once, and revokes it', async ({ page, as }) => {
  await as('editor')
  await page.goto('/account')
  await page.getByRole('button', { name: 'New token' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByLabel('Name').fill('nightly import')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('The token')).toHaveValue(/^dal_/)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  await page.getByRole('button', { name: 'Done' }).click()
  await page
    .getByRole('row', { name: /nightly import/ })
    .getByRole('button', { name: 'Revoke' })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByRole('row', { name: /nightly import/ })).toHaveCount(0)
})
