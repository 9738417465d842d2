import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, expectAccessible, test } from './kit'

const clip = readFileSync(join(import.meta.dirname, 'samples/clip.webm'))

test('a video plays in a page of another site that may show it, and in no other', async ({
  page,
  as,
  library,
  expectErrors,
}) => {
  expectErrors(/frame-ancestors|Framing/, /^asks http:\/\/localhost:/)
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
    await expect(dialog.getByRole('textbox', { name: 'HTML code' })).toHaveValue(made.html)
    await expectAccessible(page)
  } finally {
    site.close()
  }
})
