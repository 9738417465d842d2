import { expect, expectAccessible, type Page, type Server, test } from './kit'

const la = '2023-12-31T22:00:00-08:00'
const viewer = (page: Page) => page.locator('[data-viewer]')
const part = (page: Page, name: string) => viewer(page).getByRole('spinbutton', { name: `${name}, Taken` })
const offset = (page: Page) => viewer(page).getByLabel('Offset from UTC', { exact: true })

let gaids: string[] = []

async function times(library: Server, i: number) {
  const { capture_local_time, capture_utc_offset, capture_date } = (
    await library.api('GET', `/assets/${gaids[i]}`)
  ).data
  return [capture_local_time, capture_utc_offset, capture_date]
}

test.beforeAll(async ({ library }) => {
  gaids = await library.pictures(2)
})
test.beforeEach(async ({ library }) => {
  await library.api('PUT', `/assets/${gaids[0]}`, { capture_date: la })
  const unknown = { capture_date: '2023-12-31T23:04:21Z', capture_utc_offset: null }
  await library.api('PUT', `/assets/${gaids[1]}`, unknown)
})

for (const timezoneId of ['America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Kiritimati']) {
  test.describe(`in ${timezoneId}`, () => {
    test.use({ timezoneId })

    test('pictures have the local time of the place', async ({ page, as, library }) => {
      await as('editor')
      await page.goto('/?sort_by=capture_date')
      await expect(page.getByRole('button', { name: 'Select 2023' })).toBeVisible()
      const cell = page.locator('[role=grid] [data-index="1"] a')
      await cell.hover()
      await expect(cell).toHaveAttribute('title', /Dec 31, 2023/)
      await expect(cell.getByRole('img')).toHaveAttribute('alt', /taken on Dec 31, 2023/)
      await cell.click()
      await expect(part(page, 'day')).toHaveText('31')
      await expect(part(page, 'year')).toHaveText('2023')
      await expect(part(page, 'hour')).toHaveText('10')
      await expect(offset(page)).toHaveValue('-08:00')
      await expectAccessible(page)

      await part(page, 'hour').fill('11')
      await page.keyboard.press('Enter')
      await expect
        .poll(() => times(library, 0))
        .toEqual(['2023-12-31T23:00:00', '-08:00', '2024-01-01T07:00:00.000Z'])
      await offset(page).fill('UTC+5:45')
      await page.keyboard.press('Enter')
      await expect(offset(page)).toHaveValue('+05:45')
      expect(await times(library, 0)).toEqual(['2023-12-31T23:00:00', '+05:45', '2023-12-31T17:15:00.000Z'])
      await offset(page).fill('')
      await page.keyboard.press('Enter')
      await expect
        .poll(() => times(library, 0))
        .toEqual(['2023-12-31T23:00:00', null, '2023-12-31T23:00:00.000Z'])
      await viewer(page).getByRole('tab', { name: 'History' }).click()
      const latest = viewer(page).getByRole('listitem').first()
      await expect(latest).toContainText('Offset from UTC+05:45 → nothing')
      await expect(viewer(page).getByRole('listitem').nth(2)).toContainText(
        /TakenDec 31, 2023, 10:00\sPM → Dec 31, 2023, 11:00\sPM/,
      )
    })

    test('who may only look reads it', async ({ page, as }) => {
      await as('viewer')
      await page.goto(`/assets/${gaids[0]}`)
      await expect(viewer(page).getByText(/^Dec 31, 2023, 10:00\sPM UTC-08:00$/)).toBeVisible()
      await page.goto(`/assets/${gaids[1]}`)
      await expect(viewer(page).getByText(/^Dec 31, 2023, 11:04\sPM$/)).toBeVisible()
    })
  })
}

test('the clocks of many pictures are shifted, and shifted back', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/ 422 /)
  await as('editor')
  await page.goto('/?sort_by=capture_date')
  await page.locator('[role=grid] [data-index="0"] a').focus()
  await page.keyboard.press('Control+a')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit 2' })
  const shift = dialog.getByLabel('Shift capture time', { exact: true })
  await shift.fill('an hour')
  await dialog.getByRole('button', { name: 'Preview changes' }).click()
  await expect(shift).toHaveAccessibleDescription(/Must be a duration/)
  await shift.fill('-1d 0:30')
  await dialog.getByLabel('Offset from UTC', { exact: true }).fill('+1')
  await dialog.getByRole('button', { name: 'Preview changes' }).click()
  await expect(dialog).toContainText(/Dec 31, 2023, 10:00\sPM → Dec 30, 2023, 9:30\sPM/)
  await expect(dialog).toContainText('-08:00 → +01:00')
  await dialog.getByRole('button', { name: 'Change 2' }).click()
  await expect(page.getByText('2 changed.')).toBeVisible()
  expect(await times(library, 0)).toEqual(['2023-12-30T21:30:00', '+01:00', '2023-12-30T20:30:00.000Z'])
  expect(await times(library, 1)).toEqual(['2023-12-30T22:34:21', '+01:00', '2023-12-30T21:34:21.000Z'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone.')).toBeVisible()
  expect(await times(library, 0)).toEqual(['2023-12-31T22:00:00', '-08:00', '2024-01-01T06:00:00.000Z'])
  expect(await times(library, 1)).toEqual(['2023-12-31T23:04:21', null, '2023-12-31T23:04:21.000Z'])
})
