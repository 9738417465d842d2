import { expect, expectAccessible, expectFits, phone, test } from './kit'

test('what was used is shown as charts with tables behind them', async ({ page, as, library }) => {
  test.slow() // axe looks at it in light and in dark, on a desk and on a phone
  await library.pictures(2)
  await as('editor')
  await page.goto('/analytics')
  await expect(page.getByText('Nothing was counted in this period.').first()).toBeVisible()
  await expectAccessible(page)

  const list = await page.request.get('/api/v1/assets')
  const gaid = (await list.json()).data[0].gaid
  await page.request.get(`/api/v1/assets/${gaid}`)
  await page.request.get(`/api/v1/assets/${gaid}/download`)
  await page.request.get('/api/v1/assets?meaning=false&q=Zeppelin')
  await page.reload()
  const chart = page.getByRole('img', { name: /^Views and downloads from/ })
  await expect(chart).toHaveAccessibleName(/Views: 1, most on .*: 1\. Downloads: 1/)
  await expect(chart.locator('canvas')).toBeVisible()
  await page.getByText('As a table').first().click()
  await expect(page.getByRole('table', { name: 'Views and downloads' }).getByRole('row')).toHaveCount(31)
  await expect(page.getByRole('table', { name: 'Top searches without results' })).toContainText('zeppelin')
  await expectAccessible(page)

  const table = async (name: string) => {
    const address = await page.getByRole('link', { name }).getAttribute('href')
    return await (await page.request.get(address ?? '')).text()
  }
  expect((await table('Days as CSV')).split('\r\n')).toHaveLength(32) // with the head and the end of the last line
  expect(await table('Assets as CSV')).toContain(`${gaid},`)

  await page.getByRole('radio', { name: '1 year' }).click()
  await expect(page.getByRole('table', { name: 'Views and downloads' }).getByRole('row')).toHaveCount(366)
  await page.getByRole('radio', { name: 'Most downloaded' }).click()
  await page.setViewportSize(phone)
  await expectFits(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('table', { name: 'Assets', exact: true }).getByRole('link').click()
  await page.getByRole('tab', { name: 'File' }).click()
  await expect(page.getByText('1 view, 1 download')).toBeVisible()
  expect(await table('By day as CSV')).toMatch(/,1,0,1\r\n$/)
})
