import { AxeBuilder } from '@axe-core/playwright'
import { test as base, type Cookie, expect, type Page } from '@playwright/test'
import { email, password, type Role, Server } from './server'

export { expect, type Page } from '@playwright/test'
export { picture } from './picture'
export { email, password, type Role, Server } from './server'

interface OfTest {
  /** Signs the page's browser in, in place of whoever was; the page is left for that. */
  as: (role: Role) => Promise<void>
  /** Errors of the page that are expected, which otherwise fail the test: of requests that are refused, for example. */
  expectErrors: (...patterns: RegExp[]) => void
}

interface OfWorker {
  /** A library with a person of each role and nothing else, shared by the tests of a file. */
  library: Server
}

const cookies = new Map<string, Cookie[]>()

async function signIn(page: Page, library: Server, role: Role) {
  if (page.url() !== 'about:blank') {
    await page.goto('about:blank') // what the page still asks for would be refused
    await page.context().clearCookies()
  }
  const key = `${library.url} ${role}`
  const known = cookies.get(key)
  if (known) return await page.context().addCookies(known)
  const answer = await page.request.post(`${library.url}/api/v1/session`, {
    data: { email: email(role), password },
    headers: { origin: library.url },
  })
  expect(answer.ok(), await answer.text()).toBe(true)
  cookies.set(key, await page.context().cookies())
}

/**
 * Playwright's test with a server, people and a page that fails the test when it logs an error, breaks the
 * Content-Security-Policy, or asks another server for anything.
 */
export const test = base.extend<OfTest, OfWorker>({
  library: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
    async ({}, use) => {
      const library = new Server()
      await library.start()
      library.people('admin', 'editor', 'viewer')
      await use(library)
      await library.remove()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ library }, use) => await use(library.url),
  as: async ({ page, library }, use) => await use(role => signIn(page, library, role)),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  expectErrors: async ({}, use) => {
    await use((...patterns) => expected.push(...patterns))
    expected.length = 0
  },
  page: async ({ page, library, expectErrors }, use) => {
    void expectErrors // its list is emptied after this
    const wrong: string[] = []
    page.on('pageerror', e => wrong.push(e.message))
    page.on('console', m => {
      if (m.type() === 'error' || m.type() === 'warning') wrong.push(`${m.text()} ${m.location().url}`)
    })
    page.on('request', r => {
      const url = r.url()
      if (!url.startsWith(`${library.url}/`) && !/^(data|blob|about):/.test(url)) wrong.push(`asks ${url}`)
    })
    await use(page)
    expect(wrong.filter(w => !expected.some(e => e.test(w)))).toEqual([])
  },
})
const expected: RegExp[] = []

/** Expects nothing that axe finds wrong, in light and in dark. */
export async function expectAccessible(page: Page) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // What react-aria has read out stays there for some seconds, about elements that may have gone.
    const axe = new AxeBuilder({ page }).exclude('[data-live-announcer]')
    const found = (await axe.analyze()).violations
    const short = found.map(v => `${v.id}: ${v.help}: ${v.nodes.map(n => n.html.slice(0, 200)).slice(0, 5)}`)
    expect(short, `in ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
}

/** Expects that nothing sticks out of the page's right edge. */
export async function expectFits(page: Page) {
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  ).toBeLessThanOrEqual(0)
}

export const phone = { width: 390, height: 844 }
export const tablet = { width: 820, height: 1180 }
