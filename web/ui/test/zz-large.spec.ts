import { execSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { expect, picture, test } from './kit'
test.describe.configure({ timeout: 560_000 })
const t0 = Date.now()
const say = (s: string) => appendFileSync('/tmp/shots/tus/large.log', `${((Date.now() - t0) / 1000).toFixed(1)} s: ${s}\n`)
test('2 GB', async ({ page, as, library, expectErrors }) => {
  expectErrors(/./)
  const file = '/tmp/shots/tus/large.png'
  writeFileSync(file, picture(3, 40, 40))
  execSync(`head -c 2147483648 /dev/urandom >> ${file}`)
  const sum = execSync(`sha256sum ${file}`).toString().slice(0, 64)
  say(`file ${sum}`)
  await as('editor')
  page.on('dialog', d => void d.accept())
  const patches: string[] = []
  page.on('requestfinished', r => {
    if (r.method() === 'PATCH') patches.push(`${Math.round(r.timing().responseEnd)} ms`)
    if (r.method() === 'HEAD') void r.response().then(a => say(`HEAD ${a?.headers()['upload-offset']}`))
  })
  await page.goto('/')
  const row = page.getByRole('region', { name: 'Uploads' }).getByRole('listitem')
  await page.locator('input[type=file][aria-label=Files]').setInputFiles(file)
  await expect(row).toContainText(/[3-9]\d\d MB of/, { timeout: 100_000 })
  await page.getByRole('button', { name: 'Pause large.png' }).click()
  await expect(row).toContainText('Paused')
  say('paused, reloading')
  await page.reload()
  await page.getByRole('region', { name: 'Uploads' }).locator('input[type=file]').setInputFiles(file)
  say('chosen again')
  await expect(row).toContainText(/1(\.\d)? GB of/, { timeout: 100_000 })
  say('killing')
  await library.kill()
  await expect(page.getByText('cannot be reached')).toBeVisible({ timeout: 30_000 })
  await library.start()
  say('started')
  await expect(row).toContainText(/Uploaded|Scanning|Checking|Reading|In the library/, { timeout: 200_000 })
  say(`uploaded; requests ${patches.join(', ')}`)
  await expect(row).toContainText('In the library', { timeout: 200_000 })
  const found = (await library.api('GET', '/assets')).data[0]
  say(`in the library ${found.checksum_sha256} ${found.checksum_sha256 === sum} ${found.file_size}`)
})
