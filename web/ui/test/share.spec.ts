import { createServer, type Socket } from 'node:net'
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

/** A mail server that takes all mails, without encryption, and its URL. */
async function mailServer() {
  let text = ''
  const takes = (line: string) => {
    if (/^EHLO/i.test(line)) return '250 mailbox'
    return /^DATA/i.test(line) ? '354 go on' : '250 ok'
  }
  const serve = (socket: Socket) => {
    let rest = ''
    let isData = false
    socket.write('220 mailbox\r\n')
    socket.on('data', part => {
      const lines = `${rest}${part}`.split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (isData && line !== '.') {
          text += `${line}\n`
          continue
        }
        isData = /^DATA/i.test(line)
        if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
        else socket.write(`${takes(line)}\r\n`)
      }
    })
    socket.on('error', () => {})
  }
  const server = createServer(serve)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  return {
    url: `smtp://127.0.0.1:${port}?from=museum@example.com&tls=none`,
    /** The code of the latest mail; undefined until one has come. */
    code: () => text.match(/\b\d{4} \d{4}\b/g)?.at(-1),
    close: () => server.close(),
  }
}

test('guests type the code that they are mailed', async ({ page, library, expectErrors }) => {
  test.slow()
  expectErrors(/ 422 /)
  const mail = await mailServer()
  await library.stop()
  await library.start('--smtp', mail.url)
  try {
    await page.goto(await share(library, { access: { require_email: true } }))
    await page.getByLabel('Email address').fill('bo@example.com')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email')
    await expectAccessible(page)
    await page.getByLabel('Code', { exact: true }).fill('0000 000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('alert')).toHaveText('The code is wrong.')
    await page.setViewportSize(phone)
    await expectFits(page)
    await expectAccessible(page)
    await expect.poll(mail.code).toBeDefined()
    await page.getByLabel('Code', { exact: true }).fill(mail.code() ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('listitem')).toHaveCount(6)
  } finally {
    mail.close()
  }
})
