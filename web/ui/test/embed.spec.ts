import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, expectAccessible, expectFits, phone, test } from './kit'

const clip = readFileSync(join(import.meta.dirname, 'samples/clip.webm'))

test('a video plays in a page of another site that may show it, and in no other', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  test.slow() // axe looks at it in light and in dark
  expectErrors(/frame-ancestors|Framing/, /status of (404|422)/, /^asks http:\/\/localhost:/)
  const vtt = (text: string) => Buffer.from(`WEBVTT\n\n00:00.000 --> 00:01.000\n${text}\n`)
  const [gaid, words, parts] = await library.ingest(
    { name: 'clip.webm', data: clip },
    { name: 'words.vtt', data: vtt('Boats') },
    { name: 'parts.vtt', data: vtt('Leaving') },
  )
  let html = ''
  const site = createServer((_, answer) =>
    answer.end(`<!doctype html><title>Another site</title>${html}`),
  ).listen(0)
  const origin = `http://localhost:${(site.address() as AddressInfo).port}`
  try {
    const embed = async (origins: string[]) =>
      (await library.api('POST', `/assets/${gaid}/embed`, { allowed_origins: origins })).data
    const tracks = [
      { gaid: words, kind: 'captions', language: 'en', label: 'English' },
      { gaid: parts, kind: 'chapters', language: 'en', label: 'Chapters' },
    ]
    await library.api('POST', `/assets/${gaid}/embed`, { tracks })
    const made = await embed([origin])
    html = made.html

    await page.goto(origin)
    const video = page.frameLocator('iframe').locator('video')
    await expect(video).toBeVisible()
    await video.evaluate(async (v: HTMLVideoElement) => {
      v.muted = true
      await v.play()
    })
    await expect.poll(() => video.evaluate((v: HTMLVideoElement) => v.currentTime)).toBeGreaterThan(0)
    expect(await page.context().cookies()).toEqual([])

    await embed(['https://www.example.com'])
    await page.goto(origin)
    await expect(video).toHaveCount(0)
    await page.goto(`${made.url}?start=1`) // by itself it is a page as any
    const shown = page.locator('video')
    await expect.poll(() => shown.evaluate((v: HTMLVideoElement) => v.currentTime)).toBeGreaterThan(0.5)
    await shown.evaluate((v: HTMLVideoElement) => {
      for (const t of v.textTracks) t.mode = 'showing'
    })
    const cues = () => shown.evaluate((v: HTMLVideoElement) => v.textTracks[0]?.cues?.length)
    await expect.poll(cues).toBe(1)
    await page.getByText('Chapters').click()
    await expect(page.getByRole('link', { name: '0:00 Leaving' })).toHaveAttribute('href', '?start=0')
    await expectAccessible(page)

    await as('admin')
    await page.goto(`/assets/${gaid}`)
    await page.locator('[data-viewer]').getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Embed…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Embed clip' })
    const code = dialog.getByRole('textbox', { name: 'HTML code' })
    await expect(code).toHaveValue(made.html)
    await expect(dialog.getByRole('status')).toContainText('a page of https://www.example.com')
    await expectAccessible(page)

    const sites = dialog.getByRole('textbox', { name: 'Only on these sites' })
    await sites.fill('https://www.example.com\nwww.example.com')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(sites).toHaveAccessibleDescription(/^.*www\.example\.com: The origin must be/)
    await sites.fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog.getByRole('status')).toContainText('for anyone who sees the page')
    expect((await library.api('GET', `/assets/${gaid}/embed`)).data).toMatchObject({
      url: made.url,
      allowed_origins: [],
    })

    await dialog.getByRole('button', { name: 'Revoke…' }).click()
    const question = page.getByRole('dialog', { name: 'Revoke the code of clip?' })
    await expectAccessible(page)
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(code).toHaveValue(made.html)
    await dialog.getByRole('button', { name: 'Revoke…' }).click()
    await question.getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect(dialog.getByRole('status')).toContainText('This video has no embed code')
    expect((await page.request.get(made.url)).status()).toBe(404)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create code' }).click()
    await expect(code).toHaveValue(/iframe/)
    await expect(code).not.toHaveValue(made.html)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(dialog).toBeHidden()

    // The players are beside the pages of shares.
    await page.goto('/shares')
    await expect(page.getByText('No shares yet')).toBeVisible()
    await page.getByRole('radio', { name: 'Players' }).click()
    const row = page.getByRole('list', { name: 'Shares' }).getByRole('listitem')
    await expect(row).toHaveCount(2)
    await expect(row.nth(0)).toContainText('Active')
    await expect(row.nth(1)).toContainText('Revoked')
    await row.nth(0).getByRole('link', { name: 'clip' }).click()
    await expect(page.getByRole('link', { name: 'A video' })).toHaveAttribute('href', `/assets/${gaid}`)
    await expectAccessible(page)
    await page.setViewportSize(phone)
    await expectFits(page)
  } finally {
    site.close()
  }
})
