import { expect, type Page, test } from '@playwright/test'
import { email, password, Server } from './server'

// Prints what a large library costs a browser. DAL_SPEED says how many assets it has; without it there is nothing to do here.
const assets = Number(process.env.DAL_SPEED ?? 0)
const scrolled = Math.min(assets, 20_000)

/** Has the page note when the first assets are there, and every task that takes long. */
async function watch(page: Page) {
  await page.addInitScript(() => {
    const found = { first: 0, longest: 0, long: 0 }
    Object.assign(window, { found })
    const look = () => {
      if (document.querySelector('[data-index] a')) found.first = performance.now()
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
    new PerformanceObserver(list => {
      for (const task of list.getEntries()) {
        found.longest = Math.max(found.longest, task.duration)
        if (task.duration > 100) found.long++
      }
    }).observe({ type: 'longtask', buffered: true })
  })
}

interface Found {
  first: number
  longest: number
  long: number
}
const found = (page: Page) => page.evaluate(() => (window as unknown as { found: Found }).found)

/** Scrolls through the assets as somebody does who turns the wheel without pause. */
async function scroll(page: Page, to: number) {
  await page.evaluate(async last => {
    Object.assign((window as unknown as { found: Found }).found, { longest: 0, long: 0 })
    const box = document.querySelector('[role=grid]')?.parentElement?.parentElement
    if (!box) throw new Error('no grid')
    const seen = () =>
      Number([...document.querySelectorAll('[data-index]')].at(-1)?.getAttribute('data-index'))
    while (seen() < last) {
      box.scrollTop += 300
      await new Promise(requestAnimationFrame)
    }
  }, to)
}

/** Milliseconds from each keystroke of a text until what it finds is painted. */
async function typing(page: Page, text: string) {
  const times: number[] = []
  for (let n = 1; n <= text.length; n++) {
    await page.evaluate(
      q => {
        const painted = async () => {
          await new Promise(typed => document.addEventListener('input', typed, { once: true }))
          const start = performance.now()
          const answered = (path: string) =>
            performance.getEntriesByType('resource').some(r => {
              const url = new URL(r.name)
              return url.pathname === path && url.searchParams.get('q') === q
            })
          while (!answered('/api/v1/assets') || !answered('/api/v1/assets/outline'))
            await new Promise(requestAnimationFrame)
          for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
          performance.clearResourceTimings()
          return performance.now() - start
        }
        Object.assign(window, { painted: painted() })
      },
      text.slice(0, n),
    )
    await page.keyboard.press(text.charAt(n - 1))
    times.push(await page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted))
  }
  return times
}

const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0

/** Megabytes of the page's heap, after a collection. */
async function heap(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(m => m.name === 'JSHeapUsedSize')?.value ?? 0) / 1e6
}

test('a large library', async ({ page }) => {
  test.skip(assets === 0, 'DAL_SPEED is not set')
  test.setTimeout(1_800_000)
  const library = new Server()
  library.dal(['bench', 'seed', '--assets', String(assets)])
  library.dal(['reindex'])
  library.people('admin', 'editor')
  await library.start()
  const meaning = async () => (await library.api('GET', '/assets?q=harbour&per_page=1')).meta.meaning
  await expect.poll(meaning, { timeout: 1_200_000, intervals: [5000] }).toBe('ready')
  const answer = await page.request.post(`${library.url}/api/v1/session`, {
    data: { email: email('editor'), password },
    headers: { origin: library.url },
  })
  expect(answer.ok()).toBe(true)
  await watch(page)
  for (const visit of ['first', 'second']) {
    await page.goto(library.url)
    await expect.poll(async () => (await found(page)).first, { timeout: 60_000 }).toBeGreaterThan(0)
    console.log(
      `${visit} visit: the first assets are there after ${Math.round((await found(page)).first)} ms`,
    )
  }
  await scroll(page, scrolled - 1)
  const { longest, long } = await found(page)
  console.log(
    `scrolling through ${scrolled}: the longest task takes ${Math.round(longest)} ms, ${long} over 100 ms`,
  )
  console.log(`the heap has ${Math.round(await heap(page))} MB afterwards`)
  await page.goto(library.url)
  const times: number[] = []
  for (const text of ['harbour', 'mountain', 'invoice']) {
    await page.keyboard.press('/')
    await page.keyboard.press('ControlOrMeta+a')
    times.push(...(await typing(page, text)))
  }
  console.log(
    `a keystroke in the search is answered after ${Math.round(median(times))} ms (median of ${times.length}), ${Math.round(Math.max(...times))} at most`,
  )
  await library.remove()
})
