import { expect, expectAccessible, expectFits, phone, tablet, test } from './kit'

test.beforeAll(async ({ library }) => {
  await library.pictures(6)
})

/** Shares all pictures and returns the address of the page. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it needs of an answer
async function share(library: any, more: object = {}): Promise<string> {
  const all = await library.api('GET', '/assets')
  const gaids = all.data.map((asset: { gaid: string }) => asset.gaid)
  return (await library.api('POST', '/shares', { name: 'Press pictures', gaids, ...more })).data.url
}

test('guests see a share, its pictures and its limits, without an account', async ({ page, library }) => {
  test.slow() // axe looks at it in light and in dark
  await page.goto(await share(library, { watermark: { text: '© Harbour Museum' }, max_resolution: 1200 }))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Press pictures')
  await expect(page.getByRole('listitem')).toHaveCount(6)
  await expectAccessible(page)
  for (const size of [tablet, phone]) {
    await page.setViewportSize(size)
    await expectFits(page)
  }
  await page.getByRole('listitem').first().getByRole('link').click()
  await expect(page.getByRole('link', { name: 'Download the picture' })).toBeVisible()
  await expectAccessible(page)
})

test('guests pass a password and terms with forms alone', async ({ page, library, expectErrors }) => {
  test.slow()
  expectErrors(/ 422 /)
  await page.goto(
    await share(library, {
      password: 'harbour',
      terms_text: 'For editorial use only.\n\nName the museum.',
      access: { require_terms: true, require_email: true },
    }),
  )
  await page.getByLabel('Password').fill('wrong one')
  await page.getByRole('button', { name: 'Open' }).click()
  await expect(page.getByRole('alert')).toHaveText('The password is wrong.')
  await expectAccessible(page)
  await page.getByLabel('Password').fill('harbour')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByLabel('Email address').fill('bo@example.com')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('region', { name: 'Terms' })).toContainText('Name the museum.')
  await expectAccessible(page)
  await page.getByLabel('Your name').fill('Bo Ek')
  await page.getByRole('button', { name: 'I accept the terms' }).click()
  await expect(page.getByRole('listitem')).toHaveCount(6)
})
